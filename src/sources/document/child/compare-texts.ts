/**
 * Chooses between two readings of a page: the structured one, unless it has lost letters or numbers, glued or scattered
 * words, reversed a script, or is garbled, and the plain one is not. The structured reader does not detect this itself.
 */

export function betterOf(structured: string, plain: string): string {
  return isBroken(structured, plain) ? plain : mended(structured, plain);
}

function isBroken(structured: string, plain: string): boolean {
  const one = measure(structured);
  const other = measure(plain);
  if (one.letters === 0) return true;
  if (other.letters === 0) return false;
  if (one.garbled > 0.05 * one.letters && one.garbled > 2 * other.garbled) return true;
  if (other.garbled > 0.05 * other.letters && other.garbled > 2 * one.garbled) return false;
  if (other.rightToLeft > 0.1 * other.letters) return true;
  if (one.letters < 0.9 * other.letters || hasLostNumbers(structured, plain)) return true;
  // Words are not compared for scripts without spaces.
  if (other.dense < 0.3 * other.letters && other.words > 10) {
    if (one.words < 0.9 * other.words || one.words > 1.35 * other.words) return true;
    if (one.long > other.long + 1 && one.long > 0.02 * one.words) return true;
  }
  return false;
}

/**
 * Whether numbers are missing: lost cells of a table are few letters of a page. Allowed to be missing are numbers in the first
 * and last line (headers and footers), numbers of one digit (list items), and footnote signs.
 */
function hasLostNumbers(structured: string, plain: string): boolean {
  const lines = plain.split('\n').filter((line) => line.trim() !== '');
  const between = lines.slice(1, -1).join('\n');
  const left = new Map<string, number>();
  for (const [number] of structured.matchAll(NUMBER)) left.set(number, (left.get(number) ?? 0) + 1);
  for (const { 0: number, index } of between.matchAll(NUMBER)) {
    const count = left.get(number) ?? 0;
    if (count > 0) left.set(number, count - 1);
    else if (!endsAsNote(number, between.slice(Math.max(0, index - 24), index), structured)) return true;
  }
  return false;
}

const NUMBER = /\d{2,}/g;

/** A shorter text in front may occur by chance. */
const LEAST_FRONT = 3;

/** Whether the last digits may be a footnote sign: the word before them occurs in the other reading without them. */
function endsAsNote(number: string, before: string, structured: string): boolean {
  const word = /\S*$/.exec(before)?.[0] ?? '';
  return [1, 2, 3].some((digits) => {
    const front = word + number.slice(0, -digits);
    const at = digits > number.length || front.length < LEAST_FRONT ? -1 : structured.indexOf(front);
    return at !== -1 && !/\d/.test(structured[at + front.length] ?? '');
  });
}

/** Joins words that were hyphenated at the end of a line and divides glued words, if the plain reading shows how. */
function mended(structured: string, plain: string): string {
  const glued = gluedWords(structured, plain);
  const known = new Set(plain.match(WORD));
  return structured
    .replace(/(\p{L}+)- (\p{Ll}+)/gu, (whole, front: string, back: string) => {
      if (!plain.includes(`${front}-\n${back}`) || SUSPENDED.has(back)) return whole;
      if (known.has(front + back)) return front + back;
      const isCompound = plain.includes(`${front}-${back}`) || (known.has(back) && isWord(back, plain));
      return isCompound ? `${front}-${back}` : front + back;
    })
    .replace(WORD, (word) => glued.get(word) ?? word);
}

/** Words after a suspended hyphen, which must be kept: "pre- and post-war", "Ein- und Ausgaben". */
const SUSPENDED = new Set(
  'and or to und oder bzw sowie bis noch statt et ou y e o en of och eller og tai ja i lub a nebo'.split(' '),
);

/** The least characters of a second half that is recognised as a word of its own. */
const LEAST_WORD = 4;

/** Whether `back` also occurs as a separate word, not only as the second half of a hyphenated one. */
function isWord(back: string, plain: string): boolean {
  return back.length >= LEAST_WORD && new RegExp(`(?<![-\\p{L}]|-\\n)${back}(?!\\p{L})`, 'u').test(plain);
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The least characters of a glued word; shorter ones are usually real words. */
const LEAST_GLUED = 5;

/** Words of the structured reading that are two adjacent words in the plain one, with the text of these. */
function gluedWords(structured: string, plain: string): Map<string, string> {
  const words = plain.match(WORD) ?? [];
  const known = new Set(words);
  const unknown = new Set(
    (structured.match(WORD) ?? []).filter((word) => word.length >= LEAST_GLUED && !known.has(word)),
  );
  const glued = new Map<string, string>();
  if (unknown.size === 0) return glued;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (next === undefined || !unknown.has(word + next)) continue;
    if (plain.includes(`${word} ${next}`)) glued.set(word + next, `${word} ${next}`);
  }
  return glued;
}

interface Measure {
  readonly letters: number;
  readonly words: number;
  /** The number of words that are too long for any language, so they are glued. */
  readonly long: number;
  readonly rightToLeft: number;
  /** The number of letters of scripts without spaces. */
  readonly dense: number;
  readonly garbled: number;
}

const MARKUP = /\]\([^)\n]*\)|<!--[^]*?-->|<\/?\w+[^>\n]*>|[*_`~|#>\\-]+/g;

function measure(text: string): Measure {
  const bare = text.replace(MARKUP, ' ');
  const words = bare.match(WORD) ?? [];
  return {
    letters: words.reduce((sum, word) => sum + word.length, 0),
    words: words.length,
    long: words.filter((word) => word.length > 24).length,
    rightToLeft: count(bare, /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g),
    dense: count(bare, /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]/g),
    garbled: count(bare, /[\ufffd\ue000-\uf8ff\0-\x08\x0e-\x1f]/g),
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
