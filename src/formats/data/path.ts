/** Paths of values in data: `a.b[3].c`, `["a.b"].c`. */

import { type JsonPath, JsonScanner, type JsonSpan } from './json-scan.ts';

const STEP = /\.?(?:\[(\d{1,15})\]|\["((?:[^"\\]|\\.)*)"\])|(?:^|\.)([^.[\]]+)/y;

/** Keys and indices (0-based) of `typed`; undefined if it is no path. */
export function parseDataPath(typed: string): JsonPath | undefined {
  const path: (string | number)[] = [];
  for (let at = 0; at < typed.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const [, index, quoted, key] = STEP.exec(typed) ?? [];
    if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(unescaped(quoted));
    else if (key !== undefined) path.push(key);
    else return undefined;
  }
  return path;
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

/** The inverse of `parseDataPath`. */
export function writeDataPath(path: JsonPath): string {
  return path
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[^.[\]:?#,"\s]+$/.test(step) ? `${at === 0 ? '' : '.'}${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('');
}

/** Whether the value at `path` is at `wanted`, around it, or elsewhere. */
export function relationOf(path: JsonPath, wanted: JsonPath): 'at' | 'around' | 'elsewhere' {
  if (path.length > wanted.length || path.some((step, at) => String(step) !== String(wanted[at])))
    return 'elsewhere';
  return path.length === wanted.length ? 'at' : 'around';
}

/** Finds the value at a path in the bytes of a JSON text that are pushed to `scanner`. */
export class ValueFinder {
  readonly scanner: JsonScanner;
  /** The last value at the path. */
  found: JsonSpan | undefined;
  /** How often the path occurs. */
  count = 0;

  constructor(path: JsonPath) {
    this.scanner = new JsonScanner({
      want: (at) => (relationOf(at, path) === 'around' ? 'enter' : 'skip'),
      value: (at, _, span) => {
        if (relationOf(at, path) === 'at') this.#take(span);
      },
    });
  }

  #take(span: JsonSpan): void {
    this.found = span;
    this.count += 1;
  }
}
