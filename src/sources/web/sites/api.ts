/** Asking the API of a site, and reading JSON of any shape without throwing. */

import { convert } from '../convert.ts';
import type { Fetched, Visit } from '../page.ts';
import type { Endpoints } from '../../../types/settings.ts';

/** Where an API is. */
export interface Base {
  /** Without a final slash. */
  readonly url: string;
  /** The operator has set it: it is reached whatever its address. */
  readonly trusted: boolean;
}

/** The base URL that the host has set for a site, else the site's own. */
export function baseOf(site: keyof Endpoints, own: string, { endpoints }: Visit): Base {
  const set = endpoints[site];
  return { url: (set ?? own).replace(/\/+$/, ''), trusted: set !== undefined };
}

export interface Answered {
  readonly page: Fetched;
  readonly value: unknown;
}

/** Undefined where there is no answer, or none that is JSON. */
export async function jsonAt(base: Base, path: string, visit: Visit): Promise<Answered | undefined> {
  const page = await visit.probe(base.url + path, { accept: 'application/json', trusted: base.trusted });
  if (!page) return undefined;
  try {
    return { page, value: JSON.parse(await page.text()) as unknown };
  } catch {
    return undefined;
  }
}

/** What lies at `path` in `value`; undefined where there is nothing. */
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

/** On one line. */
export function lineAt(value: unknown, ...path: readonly string[]): string {
  return textAt(value, ...path)
    .replace(/\s+/g, ' ')
    .trim();
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** Names and values of an object. */
export function entriesAt(
  value: unknown,
  ...path: readonly string[]
): readonly (readonly [string, unknown])[] {
  const found = at(value, ...path);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}

/** "License: MIT" as an item of a list, where there is a value. */
export function factsOf(facts: readonly (readonly [string, string])[]): string {
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

export const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** Days are enough: "2024-01-02". */
export const dayOf = (date: string): string => /^\d{4}-\d\d-\d\d/.exec(date)?.[0] ?? '';

/** HTML of an API as Markdown, without the elements of these classes. */
export async function markdownOf(
  html: string,
  url: string,
  visit: Visit,
  without: readonly string[] = [],
): Promise<string | undefined> {
  const converted = await convert({ is: 'fragment', url, without }, html, visit.signal);
  const text = converted?.text.trim() ?? '';
  return text === '' ? undefined : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** For text that becomes a part of HTML. */
export const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign] as string);
