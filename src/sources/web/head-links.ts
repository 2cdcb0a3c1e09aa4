/** Finds alternates and links of a page, and estimates its visible text, in linear time and without parsing. */

export interface Alternate {
  readonly type: string;
  readonly url: string;
}

/** The most characters of a page that are searched, of one tag, and the most tags of one name. */
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

/** Whether an alternate is in another language, which makes it another text. */
function isOtherLanguage(language: string | undefined, own: string | undefined): boolean {
  if (!language || language === 'x-default' || own === undefined) return false;
  const main = (tag = ''): string => tag.toLowerCase().split('-')[0] ?? '';
  return main(language) !== main(own);
}

/** The absolute URLs of links (`<a href>`), without fragments, in the order of the page. */
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

/** The base URL of links: the first `<base href>`, otherwise the page's URL. */
function baseOf(html: string, url: string): string {
  for (const attributes of tagsOf(html, 'base')) {
    const href = attributes.get('href');
    if (href !== undefined) return URL.canParse(href, url) ? new URL(href, url).href : url;
  }
  return url;
}

/** Yields the attributes of each tag of this name. The search continues after each tag, so it is linear. */
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

/** Comments and elements whose content may look like tags but is not markup. */
const NO_MARKUP = /^(?:!--|(script|style|template|textarea|title|xmp)\b)/i;

/** The page without comments, scripts and the like; an unclosed one extends to the end. */
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

/** The approximate number of visible characters in the searched part of a page. */
export function visibleLength(html: string): number {
  let seen = 0;
  for (const piece of visiblePieces(html)) seen += piece.replace(/\s+/g, ' ').trim().length;
  return seen;
}

/** Significant words: five letters or more, or two characters of a script without spaces. */
const WORD = /\p{L}{5,}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]{2}/gu;

/** A page with fewer significant words cannot be compared. */
const FEW = 30;

/** Whether a text shares a tenth of the visible words of a page. True for a page with too few words to compare. */
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
