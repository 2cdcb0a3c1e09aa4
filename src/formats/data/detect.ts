/** Decides which files are tables of data, and which selectors ask for their rows. */

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
