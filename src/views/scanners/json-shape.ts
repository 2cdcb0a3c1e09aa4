/** The structure of JSON on a single line: the keys of its first two levels, with the types of their values. */

import type { Found } from './scanner.ts';

const LEVELS = 2;
/** Maximum keys of an object that are listed. */
const MOST_KEYS = 200;
/** Maximum items of an array whose keys are examined, and maximum keys that are named. */
const SAMPLED = 100;
const MOST_NAMED = 12;
/** Maximum characters of a value. */
const EXAMPLE = 40;

/** Empty if the text is not JSON or has no keys. */
export function jsonShape(text: string, lines: readonly string[]): Found[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const found: Found[] = [];
  let at = 0;
  const place = { kind: 'key', from: 1, to: lines.length } as const;
  const visit = (of: unknown, level: number): void => {
    for (const [name, held] of entriesOf(of).slice(0, MOST_KEYS)) {
      const start = at;
      at += 1;
      const index = found.length;
      found.push({ ...place, name, signature: `${name}: ${shapeOf(held)}` });
      if (level < LEVELS) visit(held, level + 1);
      at += 1;
      found[index] = { ...(found[index] as Found), span: [start, at] };
    }
  };
  if (Array.isArray(value)) visit({ '[]': value }, 0);
  else visit(value, 1);
  return found;
}

/** The entries of an object, or of the items of an array. */
function entriesOf(value: unknown): [string, unknown][] {
  if (!Array.isArray(value)) return isObject(value) ? Object.entries(value) : [];
  const items = value.slice(0, SAMPLED).filter(isObject);
  return Object.entries(Object.assign(Object.create(null) as object, ...items.toReversed()) as object);
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) {
    const kinds = new Set(value.slice(0, SAMPLED).map((item) => (isObject(item) ? 'object' : kindOf(item))));
    const of =
      kinds.size === 0 ? '' : kinds.has('object') ? ` of ${keysOf(value)}` : ` of ${[...kinds].join(', ')}`;
    return `[${value.length} ${value.length === 1 ? 'item' : 'items'}${of}]`;
  }
  if (isObject(value)) return keysOf(value);
  if (value === null) return 'null';
  const shown = JSON.stringify(value);
  return `${kindOf(value)}, e.g. ${shown.length > EXAMPLE ? `${shown.slice(0, EXAMPLE)}…` : shown}`;
}

function keysOf(value: unknown): string {
  const keys = entriesOf(value).map(([key]) => key);
  const more = keys.length > MOST_NAMED ? `, …${keys.length - MOST_NAMED} more` : '';
  return `{${keys.slice(0, MOST_NAMED).join(', ')}${more}}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
