/** The words of names and of questions. */

/**
 * Lower-case words of at least two characters: `"parseHTTPRequest_v2"` → parse, http, request, v2. A name with a part of one
 * character is a word too, as it is written: only that tells `step_1` from `step_2`.
 */
export function wordsOf(text: string): string[] {
  const parts = partsOf(text);
  const words = parts.filter((part) => part.length > 1);
  if (!parts.some(isSingle)) return words;
  const names = text.match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  return [...words, ...names.filter((name) => partsOf(name).some(isSingle))];
}

function partsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

const isSingle = (part: string): boolean => part.length === 1;

/** Whether a word is a name as it is written, not a part of one. */
const isName = (word: string): boolean => /[\p{Lu}_]/u.test(word);

/** Words of questions that say nothing about code. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also an and any are as at be been before between both but by can could did do does each ' +
    'for from get gets had happen happens has have how if in into is it its many more most no not of on one or ' +
    'other others out over own same should so some than that the their them then there these they this those ' +
    'to two up used uses using was way were what when where whether which while who whose why will with would'
  ).split(' '),
);

/** The stems of the words of a question, without those that say nothing about code if there are others. */
export function stemsOf(question: string): string[] {
  const words = wordsOf(question);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return [...new Set((telling.length > 0 ? telling : words).map(stemOf))];
}

/** `"encoded"`, `"encoding"`, `"encodes"` → `"encod"`; `"query"`, `"queries"`, `"querying"` → `"queri"`. */
function stemOf(word: string): string {
  if (isName(word)) return word;
  const stem = word.replace(/(?:ations?|ings?|ions?|ers?|ed|es|e|s|ors?)$/, '').replace(/y$/, 'i');
  return stem.length < 3 ? word : stem.replace(/([^aeioul])\1$/, '$1');
}

/** A word that matches in part: `timeout` for `time`. */
const PARTLY = 0.5;

export type WordMatcher = (text: string) => readonly { readonly at: number; readonly part: number }[];

/** Which of `stems` a word matches, and how well: `timeout` matches `time` in part, `kill` `sigkill`, and `dir` `directory`. */
export function matcherOf(stems: readonly string[]): WordMatcher {
  const known = new Map<string, ReturnType<WordMatcher>>();
  return (word) => {
    let found = known.get(word);
    if (found) return found;
    const own = stemOf(word);
    found = stems.flatMap((stem, at) => {
      if (stem === own) return [{ at, part: 1 }];
      const isPart =
        (stem.length >= 4 && word.startsWith(stem)) ||
        (own.length >= 3 && stem.startsWith(own)) ||
        (own.length >= 4 && stem.endsWith(own));
      return isPart && !isName(stem) && !isName(word) ? [{ at, part: PARTLY }] : [];
    });
    known.set(word, found);
    return found;
  };
}
