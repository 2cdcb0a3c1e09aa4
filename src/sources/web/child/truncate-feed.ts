/** Truncates the XML of a feed to the part that is shown, so that the parser does not process the rest. */

/** The most tags that are parsed, which takes a second. */
const MOST_TAGS = 100_000;

/** Characters after the last entry that are parsed although entries are left out; metadata of the feed may be there. */
const MOST_TAIL = 64 << 10;

/** A comment or CDATA section (unclosed ones extend to the end), or a tag. `[^<>]` keeps the search linear. */
const TAG = /<!--(?:[^]*?-->|[^]*$)|<!\[CDATA\[(?:[^]*?\]\]>|[^]*$)|<(\/?)([^<>]*)>/g;

export interface Front {
  /** The XML without later entries and without a truncated tag or section. Truncated elements are not closed. */
  readonly xml: string;
  /** The total number of entries of the feed. */
  readonly entries: number;
}

/** `name` is the element name of an entry, which may have any prefix. */
export function frontOf(xml: string, name: 'item' | 'entry', mostEntries: number): Front {
  const isEntry = new RegExp(`^(?:[\\w.-]{1,100}:)?${name}(?=[\\s/]|$)`, 'i');
  let [tags, entries, depth] = [0, 0, 0];
  let [cut, endOfLast] = [xml.length, 0];
  /** The offset up to which all markup is complete, and the end of the last tag. */
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
