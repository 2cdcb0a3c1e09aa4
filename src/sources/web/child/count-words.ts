/** Counts words, also in scripts without spaces. */

/** Scripts without spaces (Chinese, Japanese, South-East Asian): each character counts as a word, as in word processors. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const EACH_UNSPACED = new RegExp(UNSPACED, 'gu');

export function words(text: string): number {
  if (!UNSPACED.test(text)) return spaced(text);
  return (text.match(EACH_UNSPACED)?.length ?? 0) + spaced(text.replace(EACH_UNSPACED, ' '));
}

function spaced(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
