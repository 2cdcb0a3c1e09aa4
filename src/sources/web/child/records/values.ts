/** Reads values of JSON of any shape without throwing: a missing value or one of another type is empty. */

/** The value at `path` in `value`; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

/** A string or a number as text; empty for everything else. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** As `textAt`, on one line. */
export function lineAt(value: unknown, ...path: readonly string[]): string {
  return textAt(value, ...path)
    .replace(/\s+/g, ' ')
    .trim();
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** The names and values of an object. */
export function entriesAt(
  value: unknown,
  ...path: readonly string[]
): readonly (readonly [string, unknown])[] {
  const found = at(value, ...path);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}

/** Facts such as "License: MIT" as a Markdown list, without those that have no value. */
export function factsOf(facts: readonly (readonly [string, string])[]): string {
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

export const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** The day of a date: "2024-01-02". */
export const dayOf = (date: string): string => /^\d{4}-\d\d-\d\d/.exec(date)?.[0] ?? '';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, including attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] as string);
