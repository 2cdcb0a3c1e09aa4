/** JSON that is safe to show: invisible characters are escaped, in names and in values. */

/** C1 controls, line and paragraph separators, bidirectional controls, characters without width. Joiners are allowed. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** Like `JSON.stringify`, which does not escape C1 controls. The result parses to the same value. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Of ASCII only DEL is escaped. Most answers are ASCII: counting their bytes takes a tenth of the search.
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) return json;
  return json.replaceAll(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
