/** Limits the number of values in a JSON text before it is parsed. */

/** Maximum values in one message of a client: each takes time to parse, even if it has only two bytes. */
export const MOST_VALUES = 10_000;

/** Counts the commas and opening brackets outside of strings. */
export function hasTooManyValues(text: string): boolean {
  // Each value needs at least one bracket or comma.
  if (text.length < MOST_VALUES) return false;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      if (at === -1) return false;
    } else if (code === COMMA || code === BRACKET || code === BRACE) {
      values += 1;
      if (values > MOST_VALUES) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/** The index of the closing quote of the string that begins at `from`; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}
