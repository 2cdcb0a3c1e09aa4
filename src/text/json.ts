/** Owns JSON that is safe to show: what no reader can see stands as an escape, in names as well as in texts. */

/** C1 controls, line and paragraph separators, what reorders a line, what takes no room. Joiners are ordinary writing. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** As `JSON.stringify`, which escapes only half of the controls. It parses to the same value. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
