/** The names that read tools use for the fields of lines, bytes and symbols. */

import type { Fields } from './lenient.ts';
import { folded } from './other-names.ts';

/** The meaning of each name, in the form that `folded` returns. */
const NAMES: Readonly<Record<string, Name>> = {
  ...same('offset', ['offset']),
  ...same('limit', [
    'limit',
    'maxlines',
    'numlines',
    'linecount',
    'head',
    'headlines',
    'count',
    'length',
    'take',
    'first',
  ]),
  ...same('skip', ['skip']),
  ...same('start_line', [
    'startline',
    'linestart',
    'start',
    'from',
    'fromline',
    'firstline',
    'line',
    'linenumber',
    'begin',
    'beginline',
    'startlineoneindexed',
    'startlinenumber',
    'linefrom',
    'minline',
  ]),
  ...same('end_line', [
    'endline',
    'lineend',
    'end',
    'to',
    'toline',
    'lastline',
    'endlineoneindexed',
    'endlineoneindexedinclusive',
    'endlinenumber',
    'lineto',
    'maxline',
  ]),
  ...same('view_range', [
    'viewrange',
    'range',
    'linerange',
    'lines',
    'ranges',
    'lineranges',
    'readrange',
    'position',
  ]),
  ...same('selector', ['selector', 'sel', 'window']),
  ...same('tail', ['tail', 'taillines', 'last']),
  ...same('raw', ['raw']),
  ...same('whole', ['shouldreadentirefile', 'readentirefile', 'full', 'whole', 'entire', 'entirefile']),
  ...same('outline', ['outline']),
  ...same('start_byte', ['startbyte', 'byteoffset']),
  ...same('max_bytes', ['maxbytes', 'bytes']),
  ...same('symbol', [
    'symbol',
    'symbols',
    'symbolname',
    'namepath',
    'nodepaths',
    'function',
    'class',
    'method',
  ]),
  ...same('encoding', ['encoding', 'charset']),
  ...same('column', ['column', 'character', 'col']),
};

const KNOWN = [
  ...([
    'offset',
    'limit',
    'skip',
    'start_line',
    'end_line',
    'view_range',
    'selector',
    'tail',
    'raw',
    'whole',
  ] as const),
  ...(['outline', 'start_byte', 'max_bytes', 'symbol', 'encoding', 'column'] as const),
];

export type Name = (typeof KNOWN)[number];

export type Lines = Partial<Record<Name, unknown>>;

function same(name: Name, names: readonly string[]): Record<string, Name> {
  return Object.fromEntries(names.map((other) => [other, name]));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Splits fields into those about lines and the others. */
export function linesIn(fields: Fields): { lines: Lines; others: Record<string, unknown> } {
  const lines: Lines = {};
  const others: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(fields)) {
    const folds = folded(given);
    const zeroBased = /^(start|end)linenumberbasezero$/.exec(folds)?.[1];
    const name = zeroBased
      ? (`${zeroBased}_line` as Name)
      : Object.hasOwn(NAMES, folds)
        ? NAMES[folds]
        : undefined;
    if (name === undefined || name in lines) others[given] = value;
    else lines[name] = zeroBased && typeof value === 'number' ? value + 1 : value;
  }
  return { lines, others };
}
