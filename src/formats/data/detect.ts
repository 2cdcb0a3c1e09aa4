/** Decides which files are tables of data, and which selectors ask for their rows. */

import type { JsonPath } from './json-scan.ts';
import { parseDataPath } from './path.ts';
import type { DataForm } from './records.ts';

const FORMS: readonly (readonly [name: RegExp, form: DataForm])[] = [
  [/\.csv$/i, { kind: 'separated' }],
  [/\.(?:tsv|tab)$/i, { kind: 'separated', separator: '\t' }],
  [/\.(?:jsonl|ndjson)$/i, { kind: 'lines' }],
  [/\.(?:json|geojson)$/i, { kind: 'json', path: [] }],
];

interface DataQuery {
  readonly form: DataForm;
  /** The path of the array as typed, with its mark: `#a.b`; empty for the whole file. */
  readonly place: string;
  /** `?where=…`. */
  readonly query: string;
}

/** The query that `rest` is, if the file is one of data: `?limit=5`, `#a.b?limit=5`. */
export function dataQuery(name: string, rest: string): DataQuery | undefined {
  const form = FORMS.find(([ending]) => ending.test(name))?.[1];
  const [, place = '', query] = /^(#[^?]+|)(\?.*)$/s.exec(rest) ?? [];
  if (!form || query === undefined) return undefined;
  if (place === '') return { form, place, query };
  const path = form.kind === 'json' ? parseDataPath(place.slice(1)) : undefined;
  return path && { form: { kind: 'json', path }, place, query };
}

export interface DataPlace {
  readonly path: JsonPath;
  /** The path as typed: `a.b[3]`. */
  readonly typed: string;
  /** The selector behind it, without its colon. */
  readonly selector: string;
}

/** The value that `rest` names in a JSON file: `#a.b[3]`. Keys of the first two levels alone are symbols, shown as lines. */
export function dataPlace(name: string, rest: string): DataPlace | undefined {
  if (!/\.(?:geo)?json$/i.test(name)) return undefined;
  const [, typed, selector = ''] =
    /^#((?:\["(?:[^"\\]|\\.)*"\]|\[(?!")|[^:,?[])+)(?::(.*))?$/s.exec(rest) ?? [];
  const path = typed === undefined ? undefined : parseDataPath(typed);
  if (!path || typed === undefined || !(path.length > 2 || typed.includes('['))) return undefined;
  return { path, typed, selector };
}
