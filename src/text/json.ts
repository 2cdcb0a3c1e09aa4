/** Owns JSON that is safe to show: what no reader can see stands as an escape, in names as well as in texts. */

const UNSEEN = /[\x7f-\x9f\u2028\u2029]/g;

/** As `JSON.stringify`, which leaves DEL and the C1 controls as they are. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
