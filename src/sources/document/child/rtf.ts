/** RTF without the text that a reader of the document does not see: what is deleted while changes are tracked, and what is hidden. */

interface Look {
  readonly deleted: boolean;
  readonly hidden: boolean;
}

const SHOWN: Look = { deleted: false, hidden: false };

/** A control word with its number, a control symbol, a byte in hexadecimal, a brace, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\[^]|[{}]|[^\\{}]+/gi;

/** Deeper groups are those of no document. */
const MOST_DEPTH = 10_000;

export function visibleRtf(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (!/\\(?:deleted|v)(?![a-z])/.test(text)) return bytes;
  const kept: string[] = [];
  const outer: Look[] = [];
  let look = SHOWN;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token, word, number] = match;
    const isShown = !look.deleted && !look.hidden;
    if (token === '{') outer.push(look);
    else if (token === '}') look = outer.pop() ?? SHOWN;
    else if (word === undefined) {
      // `\*` and its like are no text; line ends in the file are none either.
      if (!isShown && (/^[^\\]/.test(token) || /^\\['~_\-{}\\]/.test(token))) continue;
    } else if (word === 'bin') {
      const end = TOKEN.lastIndex + Math.max(0, Number(number ?? 0));
      kept.push(token, text.slice(TOKEN.lastIndex, end));
      TOKEN.lastIndex = end;
      continue;
    } else if (word === 'u') {
      if (!isShown) continue;
    } else look = lookAfter(look, word, number !== '0');
    if (outer.length > MOST_DEPTH) return bytes;
    kept.push(token);
  }
  return Buffer.from(kept.join(''), 'latin1');
}

function lookAfter(look: Look, word: string, isOn: boolean): Look {
  if (word === 'plain') return SHOWN;
  if (word === 'deleted') return { ...look, deleted: isOn };
  return word === 'v' ? { ...look, hidden: isOn } : look;
}
