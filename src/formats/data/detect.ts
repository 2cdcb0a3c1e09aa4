/** Decides which files are tables of data, and which selectors ask for their rows. */

import { type JsonPath, parseDataPath } from './json-scan.ts';
import type { DataForm } from './records.ts';

const FORMS: readonly (readonly [name: RegExp, form: DataForm])[] = [
  [/\.csv$/i, { kind: 'separated' }],
  [/\.(?:tsv|tab)$/i, { kind: 'separated', separator: '\t' }],
  [/\.(?:jsonl|ndjson)$/i, { kind: 'lines' }],
  [/\.(?:json|geojson)$/i, { kind: 'json', path: [] }],
  [/\.ya?ml$/i, { kind: 'yaml', path: [] }],
  [/\.toml$/i, { kind: 'toml', path: [] }],
  [/\.(?:parquet|pq)$/i, { kind: 'parquet' }],
];

export function dataForm(name: string): DataForm | undefined {
  return FORMS.find(([ending]) => ending.test(name))?.[1];
}

const PARQUET_MAGIC = Buffer.from('PAR1');

/** Encrypted metadata is marked `PARE`. */
export function isParquet(head: Uint8Array): boolean {
  const mark = Buffer.from(head.subarray(0, 4));
  return mark.equals(PARQUET_MAGIC) || mark.toString('latin1') === 'PARE';
}

interface DataQuery {
  readonly form: DataForm;
  /** The path of the array as typed, with its mark: `#a.b`; empty for the whole file. */
  readonly place: string;
  /** `?where=…`. */
  readonly query: string;
}

/** The query that `rest` is, if the file is one of data: `?limit=5`, `#a.b?limit=5`. */
export function dataQuery(name: string, rest: string): DataQuery | undefined {
  const form = dataForm(name);
  const [, place = '', query] = /^(#(?:\["(?:[^"\\]|\\.)*"\]|\[(?!")|[^?[])+|)(\?.*)$/s.exec(rest) ?? [];
  if (!form || query === undefined) return undefined;
  if (place === '') return { form, place, query };
  const path = 'path' in form ? parseDataPath(place.slice(1)) : undefined;
  return path && { form: { ...form, path } as DataForm, place, query };
}

export interface DataPlace {
  readonly form: DataForm;
  readonly path: JsonPath;
  readonly typed: string;
  /** The selector behind it, without its colon. */
  readonly selector: string;
}

/**
 * The value that `rest` names: `#a.b[3]`. Keys of the first two levels alone are symbols, shown as lines; of rows, the first
 * step is the number (0-based) of one.
 */
export function dataPlace(name: string, rest: string): DataPlace | undefined {
  const form = dataForm(name);
  if (!form) return undefined;
  const [, typed, selector = ''] =
    /^#((?:\["(?:[^"\\]|\\.)*"\]|\[(?!")|[^:,?[])+)(?::(.*))?$/s.exec(rest) ?? [];
  const path = typed === undefined ? undefined : parseDataPath(typed);
  if (!path || typed === undefined) return undefined;
  const isValue = 'path' in form ? path.length > 2 || typed.includes('[') : typeof path[0] === 'number';
  return isValue ? { form, path, typed, selector } : undefined;
}
