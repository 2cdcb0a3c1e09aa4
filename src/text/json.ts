/** JSON that is safe to show: invisible characters are escaped, in names and in values. */

/** C1 controls, line and paragraph separators, bidirectional controls, characters without width. Joiners are allowed. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** Like `JSON.stringify`, which does not escape C1 controls. The result parses to the same value. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
