/** Owns how names stand in SQL. In a path they are written by `address.ts`. */

/** A name as an identifier, whatever it holds. SQL text ends at NUL: a name with one cannot be written. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** SQLite compares names without regard to the case of ASCII letters, and of those alone. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
