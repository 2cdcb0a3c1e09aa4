/**
 * Finds a text that every match of a pattern must contain: files without it need not be searched by ripgrep.
 */

/** Stands for one character of a kind, or for a place: nothing is known about what is there. */
const KIND = /^[bBdDsSwW<>]$/;

const CONTROL = /\p{Cc}/u;

/**
 * The longest piece of plain text that is in each match as it is written. Undefined if there is none, and for
 * patterns that need more analysis: alternatives, counts, ignored case. Groups and classes are skipped.
 */
export function needleOf(
  pattern: string,
  how: { literal?: boolean; ignoreCase?: boolean },
): string | undefined {
  if (how.ignoreCase || !pattern.isWellFormed() || CONTROL.test(pattern)) return undefined;
  return (how.literal ? pattern : plainestOf(pattern)) || undefined;
}

function plainestOf(pattern: string): string {
  let [longest, piece] = ['', [] as string[]];
  const cut = (): void => {
    if (piece.length > longest.length) longest = piece.join('');
    piece = [];
  };
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] as string;
    if (character === '(' || character === '[') {
      const end = character === '(' ? groupEnd(characters, i) : classEnd(characters, i);
      if (end === undefined) return '';
      i = end;
      cut();
    } else if (')]{}|'.includes(character)) return '';
    else if (character === '\\') {
      i += 1;
      const escaped = characters[i] ?? '';
      if (KIND.test(escaped)) cut();
      else if (/^[!-/:-@[-`{-~]$/.test(escaped)) piece.push(escaped);
      else return '';
    } else if (
      character === '*' ||
      character === '?' ||
      /^\+[*+?]$/.test(characters.slice(i, i + 2).join(''))
    ) {
      // What is before it may be absent: one count may count another.
      piece.pop();
      cut();
    } else if ('+.^$'.includes(character)) cut();
    else piece.push(character);
  }
  cut();
  return longest;
}

/** Of a group without flags, and without classes in it. */
function groupEnd(characters: readonly string[], start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < characters.length; i += 1) {
    const character = characters[i];
    if (character === '\\') i += 1;
    else if (character === '[') return undefined;
    else if (character === '(') {
      if (characters[i + 1] === '?' && characters[i + 2] !== ':') return undefined;
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return undefined;
}

/** Of a class of letters, digits and a few others, which no other reading can end elsewhere. */
function classEnd(characters: readonly string[], start: number): number | undefined {
  const end = characters.indexOf(']', start);
  return end !== -1 && /^\^?[\w '"-]+$/.test(characters.slice(start + 1, end).join('')) ? end : undefined;
}
