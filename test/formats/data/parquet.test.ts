/** Parquet files are read as tables: every type, nesting, packing and encoding, and damage. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ColumnSource, parquetWriteBuffer, type ParquetWriteOptions } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { damagedCopies, expectAsRecorded } from '../../support/recorded.ts';
import { cells, fileReader } from '../../support/sqlite.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

type Element = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  /** The element of the schema, or it and those in it. */
  readonly of: Element | readonly Element[];
  readonly data: unknown[];
  readonly encoding?: ColumnSource['encoding'];
}

function parquet(columns: readonly Column[], more: Partial<ParquetWriteOptions> = {}): Buffer {
  const schema = columns.flatMap(({ name, of }) => [of].flat().map((one) => ({ name, ...one })));
  return Buffer.from(
    parquetWriteBuffer({
      schema: [{ name: 'root', num_children: columns.length }, ...schema] as never,
      columnData: columns as never,
      ...more,
    }),
  );
}

const asked = (bytes: Uint8Array) => fileReader('x.parquet', bytes);

const bytes = (...all: number[]): Uint8Array => Uint8Array.from(all);
const fixed = (length: number, more: Element): Element => ({
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: length,
  ...more,
});
const int = (bits: 32 | 64, more: Element = {}): Element => ({ type: `INT${bits}`, ...more });
const decimal = (precision: number, scale: number): Element => ({
  converted_type: 'DECIMAL',
  precision,
  scale,
});
const instant = (unit: string, isAdjustedToUTC: boolean, type = 'TIMESTAMP'): Element => ({
  logical_type: { type, unit, isAdjustedToUTC },
});
const unsigned = { type: 'INTEGER', bitWidth: 64, isSigned: false };
const decimalType = { type: 'DECIMAL', precision: 7, scale: 3 };

/** A stored value of each type, its name, and what is shown: JSON, and without quotes in a table. */
const TYPES: readonly (readonly [type: string, of: Element, stored: unknown, json: string])[] = [
  ['BOOLEAN', { type: 'BOOLEAN' }, true, 'true'],
  ['BOOLEAN', { type: 'BOOLEAN' }, false, 'false'],
  ['INT32', int(32), -5, '-5'],
  ['INT64', int(64), 2n ** 62n, '4611686018427387904'],
  ['UINT_32', int(32, { converted_type: 'UINT_32' }), 4_294_967_295, '4294967295'],
  ['UINT_64', int(64, { logical_type: unsigned }), 2n ** 64n - 1n, '18446744073709551615'],
  ['FLOAT', { type: 'FLOAT' }, 0.1, '0.1'],
  ['FLOAT', { type: 'FLOAT' }, -0, '-0'],
  ['FLOAT', { type: 'FLOAT' }, 16_777_217, '16777216'],
  ['FLOAT', { type: 'FLOAT' }, -Infinity, '"-Infinity"'],
  ['DOUBLE', { type: 'DOUBLE' }, 0.1, '0.1'],
  ['DOUBLE', { type: 'DOUBLE' }, -0, '-0'],
  ['DOUBLE', { type: 'DOUBLE' }, Number.NaN, '"NaN"'],
  ['FLOAT16', fixed(2, { logical_type: { type: 'FLOAT16' } }), -1.5, '-1.5'],
  ['DECIMAL(9, 2)', int(64, decimal(9, 2)), -5n, '-0.05'],
  ['DECIMAL(9, 2)', int(32, decimal(9, 2)), 12_345n, '123.45'],
  ['DECIMAL(9, 0)', int(32, decimal(9, 0)), -5n, '-5'],
  ['DECIMAL(7, 3)', fixed(3, { logical_type: decimalType }), bytes(255, 255, 254), '-0.002'],
  ['DECIMAL(7, 3)', fixed(3, { logical_type: decimalType }), bytes(1, 0, 0), '65.536'],
  ['DATE', int(32, { converted_type: 'DATE' }), -1, '"1969-12-31"'],
  ['DATE', int(32, { logical_type: { type: 'DATE' } }), 19_782, '"2024-02-29"'],
  ['DATE', int(32, { converted_type: 'DATE' }), 19_783, '"2024-03-01"'],
  ['DATE', int(32, { converted_type: 'DATE' }), 47_540, '"2100-02-28"'],
  ['DATE', int(32, { converted_type: 'DATE' }), 47_541, '"2100-03-01"'],
  ['DATE', int(32, { converted_type: 'DATE' }), 11_016, '"2000-02-29"'],
  ['DATE', int(32, { converted_type: 'DATE' }), 11_322, '"2000-12-31"'],
  ['DATE', int(32, { converted_type: 'DATE' }), -719_529, '"-0001-12-31"'],
  ['TIMESTAMP', int(64, { converted_type: 'TIMESTAMP_MILLIS' }), -1n, '"1969-12-31T23:59:59.999Z"'],
  ['TIMESTAMP', int(64, { converted_type: 'TIMESTAMP_MICROS' }), 1_000_001n, '"1970-01-01T00:00:01.000001Z"'],
  ['TIMESTAMP', int(64, instant('NANOS', false)), 1n, '"1970-01-01T00:00:00.000000001"'],
  ['TIMESTAMP', int(64, instant('MILLIS', true)), 86_400_000n, '"1970-01-02T00:00:00Z"'],
  ['TIME', int(32, { converted_type: 'TIME_MILLIS' }), 45_296_007, '"12:34:56.007"'],
  ['TIME', int(64, { converted_type: 'TIME_MICROS' }), 60_000_001n, '"00:01:00.000001"'],
  ['TIME', int(64, instant('MICROS', true, 'TIME')), 86_399_999_999n, '"23:59:59.999999"'],
  [
    'UUID',
    fixed(16, { logical_type: { type: 'UUID' } }),
    '00112233-4455-6677-8899-aabbccddeeff',
    '"00112233-4455-6677-8899-aabbccddeeff"',
  ],
  [
    'INTERVAL',
    fixed(12, { converted_type: 'INTERVAL' }),
    bytes(1, 0, 0, 0, 2, 1, 0, 0, 0xdc, 5, 0, 0),
    '"P1M258DT1.5S"',
  ],
  ['JSON', { type: 'BYTE_ARRAY', converted_type: 'JSON' }, 7, '7'],
  ['STRING', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, 'ü', '"ü"'],
  ['BYTE_ARRAY', { type: 'BYTE_ARRAY' }, bytes(255, 0), '"0xff00"'],
  ['BYTE_ARRAY', { type: 'BYTE_ARRAY' }, bytes(65), '"A"'],
];

test('a value of each type is shown, compared and written as JSON', async () => {
  const columns = TYPES.map(([, of, stored], at) => ({
    name: `c${at}`,
    of: { repetition_type: 'OPTIONAL', ...of },
    data: [stored, null],
  }));
  const read = asked(parquet(columns));
  const shown = (await read('')).text;
  const written = TYPES.map(([, , , json]) => json.replace(/^"(.*)"$/, '$1'));
  expect(shown.split('\n\n')[0]?.split('\n')).toEqual(TYPES.map(([type], at) => `c${at}: ${type}`));
  expect(shown.match(/^ {2}c\d+: .*/gm)).toEqual([
    ...written.map((one, at) => `  c${at}: ${one}`),
    ...written.map((_, at) => `  c${at}: NULL`),
  ]);
  const item = (await read(':#[0]')).text;
  expect(Array.from(item.matchAll(/^ {2}"c\d+": (.*?),?$/gm), ([, json]) => json)).toEqual(
    TYPES.map(([, , , json]) => json),
  );
});

test('numbers of each type are compared as numbers', async () => {
  const numbers = TYPES.map(([type], at) => ({ type, at })).filter(({ type }) =>
    /INT_?\d|FLOAT|DOUBLE|DECIMAL/.test(type),
  );
  const columns = numbers.map(({ at }) => ({
    name: `c${at}`,
    of: TYPES[at]?.[1] ?? {},
    data: [TYPES[at]?.[2]],
  }));
  const read = asked(parquet(columns));
  for (const { at } of numbers) {
    const value = Number(JSON.parse(TYPES[at]?.[3] ?? ''));
    if (!Number.isFinite(value)) continue;
    const near = `c${at} > ${value - 1e-6 * Math.abs(value) - 1e-6} and c${at} < ${value + 1e-6 * Math.abs(value) + 1e-6}`;
    expect(cells((await read(`?where=${near}&select=c${at}`)).text)).toHaveLength(1);
  }
});

test('lists, structs and maps are JSON', async () => {
  const optional = { repetition_type: 'OPTIONAL' };
  const repeated = { repetition_type: 'REPEATED' };
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  const columns: Column[] = [
    {
      name: 'list',
      of: [
        { ...optional, converted_type: 'LIST', num_children: 1 },
        { ...repeated, name: 'list', num_children: 1 },
        { ...optional, name: 'element', ...int(32) },
      ],
      data: [[1, null, 3], [], null],
    },
    {
      name: 'point',
      of: [
        { ...optional, num_children: 3 },
        { repetition_type: 'REQUIRED', name: 'x', type: 'DOUBLE' },
        { ...optional, name: 'day', ...int(32, { converted_type: 'DATE' }) },
        { ...optional, name: 'j', type: 'BYTE_ARRAY', converted_type: 'JSON' },
      ],
      data: [{ x: 1, day: 1, j: [1] }, { x: -0.5, day: null, j: null }, null],
    },
    {
      name: 'tags',
      of: [
        { ...optional, converted_type: 'MAP', num_children: 1 },
        { ...repeated, name: 'key_value', num_children: 2 },
        { repetition_type: 'REQUIRED', name: 'key', ...text },
        { ...optional, name: 'value', ...text },
      ],
      data: [{ a: 'one', b: null }, {}, null],
    },
  ];
  const read = asked(parquet(columns));
  const shown = (await read('')).text;
  expect(shown).toMatch(
    /^list: LIST<INT32>\npoint: STRUCT<x DOUBLE, day DATE, j JSON>\ntags: MAP<STRING, STRING>\n\n/,
  );
  expect(cells(shown)).toEqual([
    ['[1, null, 3]', '{"x": 1, "day": "1970-01-02", "j": [1]}', '{"a": "one", "b": null}'],
    ['[]', '{"x": -0.5, "day": null, "j": null}', '{}'],
    ['NULL', 'NULL', 'NULL'],
  ]);
  expect((await read(':#[1].point.x')).text).toBe('-0.5\n');
});

const NUMBERS = Array.from({ length: 300 }, (_, at) => at);
const TEXT = { repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const ENCODED: readonly Column[] = [
  { name: 'delta', of: int(64), data: NUMBERS.map(BigInt), encoding: 'DELTA_BINARY_PACKED' },
  { name: 'plain', of: int(32), data: NUMBERS, encoding: 'PLAIN' },
  { name: 'split', of: { type: 'DOUBLE' }, data: NUMBERS.map((n) => n / 2), encoding: 'BYTE_STREAM_SPLIT' },
  { name: 'texts', of: TEXT, data: NUMBERS.map((n) => `text ${n}`), encoding: 'DELTA_BYTE_ARRAY' },
  {
    name: 'sizes',
    of: TEXT,
    data: NUMBERS.map((n) => 'x'.repeat(n % 7)),
    encoding: 'DELTA_LENGTH_BYTE_ARRAY',
  },
  {
    name: 'few',
    of: TEXT,
    data: NUMBERS.map((n) => (n % 9 ? `k${n % 3}` : null)),
    encoding: 'RLE_DICTIONARY',
  },
  { name: 'flags', of: { type: 'BOOLEAN' }, data: NUMBERS.map((n) => n % 5 < 2), encoding: 'RLE' },
];

test.each(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI'] as const)(
  '%s: each encoding, in many pages and row groups',
  async (codec) => {
    const compressors = { GZIP: gzipSync, BROTLI: brotliCompressSync };
    const read = asked(parquet(ENCODED, { codec, compressors, pageSize: 256, rowGroupSize: 200 }));
    expect(cells((await read('?where=delta in (0,10,150,199,200,299)')).text)).toEqual([
      ['0', '0', '0', 'text 0', '', 'NULL', 'true'],
      ['10', '10', '5', 'text 10', 'xxx', 'k1', 'true'],
      ['150', '150', '75', 'text 150', 'xxx', 'k0', 'true'],
      ['199', '199', '99.5', 'text 199', 'xxx', 'k1', 'false'],
      ['200', '200', '100', 'text 200', 'xxxx', 'k2', 'true'],
      ['299', '299', '149.5', 'text 299', 'xxxxx', 'k2', 'false'],
    ]);
    expect(cells((await read('?where=few is not null and plain = 250&select=few,split')).text)).toEqual([
      ['k1', '125'],
    ]);
  },
);

describe('rows', () => {
  const FILE = Buffer.from(
    parquetWriteBuffer({
      rowGroupSize: 4,
      columnData: [
        { name: 'id', data: Array.from({ length: 10 }, (_, at) => 2n ** 62n + BigInt(at)), type: 'INT64' },
        {
          name: 'name',
          data: Array.from({ length: 10 }, (_, at) => (at % 3 ? `n${at}` : null)),
          type: 'STRING',
        },
        { name: 'v', data: Array.from({ length: 10 }, (_, at) => at / 4), type: 'DOUBLE' },
      ],
    }),
  );

  test('a bare read shows the columns and the first rows', async () => {
    const { text } = await asked(FILE)('');
    expect(text).toContain('id: INT64\nname: STRING\nv: DOUBLE\n\n| id ');
    expect(text).toContain(`[Showing rows 1-5 of 10. Use x.parquet?limit=5&offset=5&after=4 to continue]`);
  });

  test('rows are queried and paged over row groups, a row is read by its number', async () => {
    const read = asked(FILE);
    expect(cells((await read('?where=v >= 2 and name is not null&select=id,v')).text)).toEqual([
      ['4611686018427387912', '2'],
    ]);
    expect(cells((await read('?limit=5&offset=5&after=4&select=v')).text).flat()).toEqual([
      '1.25',
      '1.5',
      '1.75',
      '2',
      '2.25',
    ]);
    expect((await read(':#[7].id')).text).toBe('4611686018427387911\n');
    expect((await read(':#[10]')).code).toBe('NOT_FOUND');
  });
});

test('Parquet of every encoding, and with damage anywhere, is as recorded', async () => {
  const columns = ENCODED.map((one) => ({ ...one, data: one.data.slice(0, 12) }));
  const file = parquet(columns, { codec: 'SNAPPY', rowGroupSize: 8 });
  const files = damagedCopies('x.parquet', file, 100);
  const { write, text } = workspace(unhurried);
  for (const [name, content] of files) write(name, content);
  const whole = [
    '',
    '?limit=20',
    ':#[9]',
    ':#[9].few',
    ':#[12]',
    '?q=select sum(plain), few from data group by few',
  ];
  const paths = [
    ...whole.map((rest) => `x.parquet${rest}`),
    ...Array.from(files.keys(), (name) => `${name}?limit=2`),
  ];
  await expectAsRecorded('parquet', paths, text);
});
