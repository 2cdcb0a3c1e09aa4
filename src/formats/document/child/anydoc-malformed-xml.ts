/** anydoc 0.1.9 ends silently where XML is not well-formed. It gets XML in which every element is closed. */

import { replaceRanges, type XmlReplacement } from './xml-walk.ts';

const TOKEN = /<(\/?)([A-Za-z_][\w:.-]*)[^<>]*>|<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<[?!][^>]*>|</g;

interface OpenTag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The same string if it is well-formed. Tags that are no elements of the format (without a prefix) become text. */
export function closedXml(xml: string): string {
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
  for (const match of xml.matchAll(TOKEN)) {
    const [token, slash, name] = match;
    const [start, end] = [match.index, match.index + token.length];
    if (name === undefined) {
      if (token === '<') edits.push([start, end, '&lt;']);
    } else if (slash === '') {
      root ??= name;
      if (!token.endsWith('/>')) open.push({ name, start, end });
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
  return edits.length === 0 ? xml : replaceRanges(xml, edits);
}
