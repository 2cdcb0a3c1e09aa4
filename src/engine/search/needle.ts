/** Finds a literal that every match of a pattern must contain: files without it need not be searched by ripgrep. */

/** Escapes that match a kind of character or a position, so they end a literal. */
const KIND = /^[bBdDsSwW<>]$/;

const CONTROL = /\p{Cc}/u;

/**
 * The longest required literal of a pattern. Undefined if there is none, and for patterns that would need more analysis:
 * alternatives, counts, ignored case. Groups and classes are skipped.
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
      // The character before the quantifier may be absent.
      piece.pop();
      cut();
    } else if ('+.^$'.includes(character)) cut();
    else piece.push(character);
  }
  cut();
  return longest;
}

/** The index of the parenthesis that closes a group; undefined for groups with flags or with classes in them. */
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

/** The index of the bracket that closes a class; undefined unless it contains only characters that need no parsing. */
function classEnd(characters: readonly string[], start: number): number | undefined {
  const end = characters.indexOf(']', start);
  return end !== -1 && /^\^?[\w '"-]+$/.test(characters.slice(start + 1, end).join('')) ? end : undefined;
}
