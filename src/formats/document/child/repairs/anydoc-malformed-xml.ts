/** anydoc 0.1.9 ends silently where XML is not well-formed. It gets XML in which every element is closed. */

import { DocumentRefusal } from '../../protocol.ts';
import { MAX_XML_DEPTH, replaceRanges, type XmlReplacement } from '../xml-walk.ts';

/** A tag, the start of what is no element, or a sign that starts nothing. */
const TOKEN = /<(?:(\/?)([A-Za-z_][\w:.-]*)(?![\w:.-])[^<>]*>|!--|!\[CDATA\[|[?!])?/g;

/** The starts of what is no element, and how it ends. */
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<!': '>', '<?': '>' };

/** A control character, or a sign that would start an entity that XML does not know. */
const NO_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/g;

interface OpenTag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The same string if it is well-formed. Tags that are no elements of the format (without a prefix) become text. Throws
 * DocumentRefusal for nesting that anydoc refuses: the parts that are rewritten next could hide it.
 */
export function closedXml(stored: string): string {
  // Other entities may be declared.
  const declares = stored.slice(0, 2000).includes('<!DOCTYPE');
  const xml = declares ? stored : stored.replace(NO_CHARACTER, (sign) => (sign === '&' ? '&amp;' : ''));
  const edits: XmlReplacement[] = [];
  const open: OpenTag[] = [];
  let root: string | undefined;
  const close = (to: number, at: number): void => {
    let closing = '';
    for (const { name, start, end } of open.splice(to).reverse()) {
      if (root?.includes(':') && !name.includes(':'))
        edits.push([start, end, `&lt;${xml.slice(start + 1, end)}`]);
      else closing += `</${name}>`;
    }
    if (closing !== '') edits.push([at, at, closing]);
  };
  // For starts that have no end, so that the rest is not searched again at each of them.
  const lastEnds = new Map(Object.entries(ENDS).map(([start, end]) => [start, xml.lastIndexOf(end)]));
  const tokens = new RegExp(TOKEN);
  for (let match = tokens.exec(xml); match; match = tokens.exec(xml)) {
    const [token, slash, name] = match;
    const [start, end] = [match.index, tokens.lastIndex];
    if (name === undefined) {
      const ending = ENDS[token] ?? '';
      if ((lastEnds.get(token) ?? -1) < end) edits.push([start, start + 1, '&lt;']);
      else tokens.lastIndex = xml.indexOf(ending, end) + ending.length;
    } else if (slash === '') {
      root ??= name;
      if (token.endsWith('/>')) continue;
      open.push({ name, start, end });
      if (open.length > MAX_XML_DEPTH)
        throw new DocumentRefusal('limit', `its elements are nested more than ${MAX_XML_DEPTH} deep`);
    } else if (open.at(-1)?.name === name) open.pop();
    else {
      const at = open.findLastIndex((tag) => tag.name === name);
      if (at === -1) edits.push([start, end, '']);
      else {
        close(at + 1, start);
        open.pop();
      }
    }
  }
  close(0, xml.length);
  return replaceRanges(xml, edits);
}
