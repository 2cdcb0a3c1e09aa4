/** The XML of a feed as far as it is shown: what the parser does not get costs it nothing. */

/** Tags that are parsed: a second. */
const MOST_TAGS = 100_000;

/** Characters after the last entry that are parsed where entries are left out: what a feed says of itself may be there. */
const MOST_TAIL = 64 << 10;

/** Comments and CDATA are skipped; one without an end goes to the end. `[^<>]` keeps the search linear. */
const TAG = /<!--(?:[^]*?-->|[^]*$)|<!\[CDATA\[(?:[^]*?\]\]>|[^]*$)|<(\/?)([^<>]*)>/g;

export interface Front {
  /** Without the entries after the first ones, and without a tag or a section that is cut. Elements that are cut are not closed. */
  readonly xml: string;
  /** All that the feed has. */
  readonly entries: number;
}

/** `name`: of an entry's element, with any prefix. */
export function frontOf(xml: string, name: 'item' | 'entry', mostEntries: number): Front {
  const isEntry = new RegExp(`^(?:[\\w.-]{1,100}:)?${name}(?=[\\s/]|$)`, 'i');
  let [tags, entries, depth] = [0, 0, 0];
  let [cut, endOfLast] = [xml.length, 0];
  /** Up to there all markup is whole, and where the last of it ends. */
  let [whole, endOfTags] = [xml.length, 0];
  for (const { index, 0: tag, 1: slash, 2: inside } of xml.matchAll(TAG)) {
    endOfTags = index + tag.length;
    if (inside === undefined) {
      if (!tag.endsWith('-->') && !tag.endsWith(']]>')) whole = index;
      continue;
    }
    tags += 1;
    if (tags > MOST_TAGS) cut = Math.min(cut, index);
    if (!isEntry.test(inside)) continue;
    const opens = slash === '';
    if (opens && depth === 0) entries += 1;
    if (entries > mostEntries) cut = Math.min(cut, index);
    if (!inside.endsWith('/')) depth = Math.max(0, depth + (opens ? 1 : -1));
    if (depth === 0) endOfLast = index + tag.length;
  }
  const open = xml.indexOf('<', endOfTags);
  if (open !== -1) whole = open;
  const hasTail = entries > mostEntries && xml.length - endOfLast <= MOST_TAIL;
  return { xml: xml.slice(0, Math.min(cut, whole)) + (hasTail ? xml.slice(endOfLast, whole) : ''), entries };
}
