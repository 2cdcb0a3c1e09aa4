/** How many values a text of JSON has, before it is parsed. */

/** In one message of a client: each takes time, also where it takes only two bytes. */
export const MOST_VALUES = 10_000;

/** By its commas and opening brackets outside of strings. */
export function hasTooManyValues(text: string): boolean {
  // Each takes a bracket or a comma at least.
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

/** Of the string that begins at `from`; -1 where it does not end. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}
