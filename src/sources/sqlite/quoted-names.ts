/** Quotes names in SQL. `row-address.ts` encodes them in paths. */

/** Any name as a quoted identifier. SQL text ends at NUL, so a name with NUL has none. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** SQLite ignores the case of ASCII letters in names, and of no others. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
