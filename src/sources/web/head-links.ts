/** What a page links to: its alternates, its links, and how much text it has, without parsing it, in linear time. */

export interface Alternate {
  readonly type: string;
  readonly url: string;
}

/** Characters in which they are looked for, those of one tag, and tags of one name. */
const WITHIN = 256 * 1024;
const MOST_TAG = 2_000;
const MOST_TAGS = 2_000;

const ATTRIBUTE = /([a-z-]+)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))|[a-z-]+/gi;

export function alternatesOf(html: string, url: string): Alternate[] {
  const found: Alternate[] = [];
  const base = baseOf(html, url);
  const [own] = Array.from(tagsOf(html, 'html'), (attributes) => attributes.get('lang'));
  for (const attributes of tagsOf(html, 'link')) {
    const [rel = '', type = '', href = ''] = [
      attributes.get('rel'),
      attributes.get('type'),
      attributes.get('href'),
    ];
    if (!/(?:^|\s)alternate(?:\s|$)/i.test(rel) || href === '' || !URL.canParse(href, base)) continue;
    if (isOtherLanguage(attributes.get('hreflang'), own)) continue;
    found.push({ type: type.toLowerCase().split(';')[0]?.trim() ?? '', url: new URL(href, base).href });
  }
  return found;
}

/** A form of the page in another language is another text. */
function isOtherLanguage(language: string | undefined, own: string | undefined): boolean {
  if (!language || language === 'x-default' || own === undefined) return false;
  const main = (tag = ''): string => tag.toLowerCase().split('-')[0] ?? '';
  return main(language) !== main(own);
}

/** Of `<a href>`: absolute, without fragments, in the order of the page. */
export function linksOf(html: string, url: string): string[] {
  const found: string[] = [];
  const base = baseOf(html, url);
  for (const attributes of tagsOf(html, 'a')) {
    const href = attributes.get('href') ?? '';
    if (href === '' || !URL.canParse(href, base)) continue;
    const target = new URL(href, base);
    target.hash = '';
    if (/^https?:$/.test(target.protocol)) found.push(target.href);
  }
  return found;
}

/** What links are relative to: the first `<base href>` that is one, otherwise the page. */
function baseOf(html: string, url: string): string {
  for (const attributes of tagsOf(html, 'base')) {
    const href = attributes.get('href');
    if (href !== undefined) return URL.canParse(href, url) ? new URL(href, url).href : url;
  }
  return url;
}

/** The attributes of each tag of this name. What is in one tag is no other: nothing is looked at twice. */
function* tagsOf(html: string, name: string): Generator<ReadonlyMap<string, string>> {
  const page = markupOf(html.slice(0, WITHIN));
  const start = new RegExp(`<${name}\\s`, 'gi');
  for (let count = 0; count < MOST_TAGS && start.exec(page); count += 1) {
    const end = page.indexOf('>', start.lastIndex);
    if (end === -1) return;
    if (end - start.lastIndex <= MOST_TAG) yield valuesOf(page.slice(start.lastIndex, end));
    start.lastIndex = end;
  }
}

/** What holds no tags of the page, though it may look so. */
const NO_MARKUP = /^(?:!--|(script|style|template|textarea|title|xmp)\b)/i;

/** The page without comments, scripts and the like. One of them without an end goes to the end. */
function markupOf(page: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let mark = page.indexOf('<'); mark !== -1; mark = page.indexOf('<', mark + 1)) {
    const found = NO_MARKUP.exec(page.slice(mark + 1, mark + 12));
    if (!found) continue;
    const [, name] = found;
    parts.push(page.slice(from, mark));
    const end = name === undefined ? page.indexOf('-->', mark) : endOf(page, name, mark);
    if (end === -1) return parts.join('');
    from = end;
    mark = end - 1;
  }
  parts.push(page.slice(from));
  return parts.join('');
}

function endOf(page: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(page)?.index ?? -1;
}

function valuesOf(attributes: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(attributes.matchAll(ATTRIBUTE), ([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      (double ?? single ?? bare ?? '').replaceAll('&amp;', '&'),
    ]),
  );
}

const UNSEEN = /^(script|style|template|noscript|title|svg)\b/i;

/** Characters of text that a reader would see, roughly, of the beginning of a page. */
export function visibleLength(html: string): number {
  let seen = 0;
  for (const piece of visiblePieces(html)) seen += piece.replace(/\s+/g, ' ').trim().length;
  return seen;
}

/** Words that say something: of five letters and more, or two of a script without spaces. */
const WORD = /\p{L}{5,}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]{2}/gu;

/** Words of a page below which nothing can be said of it. */
const FEW = 30;

/** Whether a text has a tenth of the words that a reader would see on a page; also of a page that has hardly any. */
export function sharesWords(text: string, html: string): boolean {
  const wordsOf = (piece: string): readonly string[] => piece.toLowerCase().match(WORD) ?? [];
  const ofPage = new Set([...visiblePieces(html)].flatMap(wordsOf));
  const ofText = new Set(wordsOf(text.slice(0, WITHIN)));
  const shared = [...ofPage].filter((word) => ofText.has(word)).length;
  return ofPage.size < FEW || shared >= Math.min(ofPage.size, 4 * ofText.size) / 10;
}

function* visiblePieces(html: string): Generator<string> {
  const page = html.slice(0, WITHIN);
  for (let at = 0; at < page.length;) {
    const mark = page.indexOf('<', at);
    yield page.slice(at, mark === -1 ? undefined : mark);
    if (mark === -1) break;
    const name = UNSEEN.exec(page.slice(mark + 1, mark + 10))?.[1];
    const comment = page.startsWith('<!--', mark);
    const end = name === undefined ? page.indexOf(comment ? '-->' : '>', mark) : endOf(page, name, mark);
    if (end === -1) break;
    at = end + (comment ? 3 : name === undefined ? 1 : 0);
  }
}
