/** Quotes names in SQL. (`row-address.ts` encodes names in paths.) */

/** The quoted identifier of a name. Not for names with NUL, at which SQL text ends. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Compares names as SQLite does: it ignores only the case of ASCII letters. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
