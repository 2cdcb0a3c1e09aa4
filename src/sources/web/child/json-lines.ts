/** JSON with its lines laid out: every number, key and string as it was written. In linear time. */

/**
 * Values deeper than `depth` levels stay on one line. Undefined where the text would have more than `most` characters.
 * `text` is valid JSON, or the beginning of such.
 */
export function layOut(text: string, depth: number, most: number): string | undefined {
  const breaks = Array.from({ length: depth + 1 }, (_, level) => `\n${'  '.repeat(level)}`);
  const parts: string[] = [];
  let [level, length] = [0, 0];
  const put = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const breakLine = (): void => put(breaks[level] ?? '');
  for (let at = skip(text, 0); at < text.length && length <= most;) {
    const end = tokenEnd(text, at);
    const token = text.slice(at, end);
    at = skip(text, end);
    if (token === '{' || token === '[') {
      put(token);
      const next = text[at];
      if (next === '}' || next === ']') {
        put(next);
        at = skip(text, at + 1);
      } else {
        level += 1;
        breakLine();
      }
    } else if (token === '}' || token === ']') {
      level -= 1;
      breakLine();
      put(token);
    } else {
      put(token === ':' ? ': ' : token);
      if (token === ',') breakLine();
    }
  }
  return length > most ? undefined : `${parts.join('').trimEnd()}\n`;
}

/** Of JSON without its end, as much as is whole: up to the last value. Undefined where what is there is no JSON. */
export function wholeBeginning(text: string): string | undefined {
  const open: string[] = [];
  let [whole, before] = [0, ''];
  for (let at = skip(text, 0); at < text.length;) {
    const end = tokenEnd(text, at);
    const sign = text[at] as string;
    if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') open.pop();
    // A key is no value, and a number may go on behind the cut.
    const isValue = before === ':' || open.at(-1) === ']';
    if ('{}[]'.includes(sign) || (isValue && !',:'.includes(sign) && end < text.length)) whole = end;
    before = sign;
    at = skip(text, end);
  }
  const beginning = text.slice(0, whole);
  return isJson(beginning + open.reverse().join('')) ? beginning : undefined;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Behind white space. */
function skip(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

const SIGNS = new Set('{}[],:"');

/** Behind the token that begins at `at`. */
function tokenEnd(text: string, at: number): number {
  const sign = text[at] as string;
  if (sign === '"') return stringEnd(text, at);
  let end = at + 1;
  if (SIGNS.has(sign)) return end;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && !SIGNS.has(text[end] as string)) end += 1;
  return end;
}

/** Behind the quote that is not escaped; the end of the text where there is none. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
