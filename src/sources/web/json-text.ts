/** JSON with its lines laid out: every number, key and string as it was written. */

/** Deeper values stay on one line. */
const MOST_DEPTH = 32;

/** Undefined for what is no JSON. */
export function layOut(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let depth = 0;
  const line = (): void => {
    if (depth <= MOST_DEPTH) parts.push(`\n${'  '.repeat(depth)}`);
  };
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;
  const skip = /\s*/y;
  for (let at = 0; ;) {
    skip.lastIndex = at;
    skip.exec(text);
    token.lastIndex = skip.lastIndex;
    const found = token.exec(text)?.[0];
    if (found === undefined) break;
    at = token.lastIndex;
    if (found === '{' || found === '[') {
      parts.push(found);
      depth += 1;
      const close = found === '{' ? '}' : ']';
      skip.lastIndex = at;
      skip.exec(text);
      if (text[skip.lastIndex] === close) {
        depth -= 1;
        parts.push(close);
        at = skip.lastIndex + 1;
      } else line();
    } else if (found === '}' || found === ']') {
      depth -= 1;
      line();
      parts.push(found);
    } else if (found === ',') {
      parts.push(',');
      line();
    } else parts.push(found === ':' ? ': ' : found);
  }
  return `${parts.join('')}\n`;
}
