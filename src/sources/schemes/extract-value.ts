/** Extracts one value of a JSON document by a list of keys and indices. */

import { OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';

/** The most keys that an error names. */
const MOST_KEYS = 10;

/** Parses `/findings/0/title`; steps may be percent-encoded. */
export function stepsOfPath(path: string): string[] {
  return path.split('/').filter(Boolean).map(decoded);
}

/** Parses a path in the syntax of jq: `.findings[0].title` or `findings[0]["a key"]`. Throws `BAD_QUERY`. */
export function stepsOfQuery(query: string): string[] {
  const steps: string[] = [];
  const step = /\.?([\w$-]+)|\.?\[(\d+)\]|\.?\["((?:[^"\\]|\\.)*)"\]/y;
  const typed = decoded(query).replace(/^\.$/, '');
  while (step.lastIndex < typed.length) {
    const at = step.lastIndex;
    const [, key, index, quoted] = step.exec(typed) ?? [];
    const found = key ?? index ?? quoted?.replaceAll(/\\(.)/g, '$1');
    if (found === undefined) {
      throw new OrielError(
        'BAD_QUERY',
        `${quote(typed)} is not a query at character ${at + 1}. Use keys and indexes: ?q=.field[0].name.`,
      );
    }
    steps.push(found);
  }
  return steps;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value at `steps`; `whole` is the URL of the output, for errors. Throws `NOT_FOUND`, which names the existing keys. */
export function extract(value: unknown, steps: readonly string[], whole: string): unknown {
  let at = value;
  for (const [i, step] of steps.entries()) {
    if (has(at, step)) {
      at = at[step];
      continue;
    }
    const front = nameable(
      `${whole}${steps
        .slice(0, i)
        .map((done) => `/${encodeURIComponent(done)}`)
        .join('')}`,
    );
    throw new OrielError('NOT_FOUND', `${quote(step)} is not in ${front}, ${shapeOf(at)}. Use ${front}.`, {
      next: front,
    });
  }
  return at;
}

/** The URL if a message can contain it, otherwise that of the list. */
export function nameable(url: string): string {
  return oneLine(url) === url && url.length <= 200 ? url : 'agent://';
}

function has(value: unknown, step: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
  return !Array.isArray(value) || step !== 'length';
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `which has ${value.length} items`;
  if (typeof value !== 'object' || value === null) return 'which has no parts';
  const keys = Object.keys(value);
  if (keys.length === 0) return 'which is empty';
  return `which has ${keys.slice(0, MOST_KEYS).map(quote).join(', ')}${keys.length > MOST_KEYS ? ', …' : ''}`;
}
