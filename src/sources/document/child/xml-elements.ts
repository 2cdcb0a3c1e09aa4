/** Finds and replaces XML elements by name, in linear time. */

/** Replaces every element with this name (a pattern) by the result of `make`. The elements must not be nested. */
export function each(xml: string, name: string, make: (content: string, tag: string) => string): string {
  const opening = new RegExp(`<(${name})(?=[\\s>])[^<>]*>`, 'g');
  let [text, from] = ['', 0];
  for (let match = opening.exec(xml); match; match = opening.exec(xml)) {
    if (match[0].endsWith('/>')) continue;
    const close = `</${match[1]}>`;
    const end = xml.indexOf(close, opening.lastIndex);
    if (end === -1) break;
    text += xml.slice(from, match.index) + make(xml.slice(opening.lastIndex, end), match[0]);
    from = opening.lastIndex = end + close.length;
  }
  return text + xml.slice(from);
}

/** The contents of these elements. */
export function contents(xml: string, name: string): string[] {
  const found: string[] = [];
  each(xml, name, (content) => {
    found.push(content);
    return '';
  });
  return found;
}
