/** Texts with a byte order mark are found by every kind of search, as `read` shows them. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { place } from '../support/dialect.ts';
import { some } from '../support/properties.ts';
import { zip } from '../support/zip.ts';

const TEXT = 'erste Zeile\r\nn\u00e4chste: NEEDLE \u{1f600}\nsecond\nthird NEEDLE\n';

function utf32(text: string, bigEndian: boolean): Buffer {
  const points = [...text].map((point) => point.codePointAt(0) as number);
  const bytes = Buffer.alloc(points.length * 4);
  for (const [i, point] of points.entries()) {
    if (bigEndian) bytes.writeUInt32BE(point, i * 4);
    else bytes.writeUInt32LE(point, i * 4);
  }
  return bytes;
}

const encode: Record<string, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-32le': (text) => utf32(text, false),
  'utf-32be': (text) => utf32(text, true),
};

interface Way {
  readonly input: object;
  /** The path of the text in the answer. */
  readonly path: string;
}

const WAYS: Record<string, Way> = {
  'a directory': { input: { path: 'd' }, path: 'd/a.txt' },
  'sorted by time': { input: { path: 'd', sort: 'time' }, path: 'd/a.txt' },
  'the file itself': { input: { path: 'd/a.txt' }, path: 'd/a.txt' },
  'several files': { input: { path: 'd/a.txt,other.txt' }, path: 'd/a.txt' },
  'a packed text': { input: { path: 'a.txt.gz' }, path: 'a.txt.gz' },
  'a member of a zip': { input: { path: 'a.zip' }, path: 'a.zip:a.txt' },
  'inside, below a directory': { input: { path: 'z', inside: true }, path: 'z/a.zip:a.txt' },
};

const OPTIONS: Record<string, { input: object; shown: readonly string[] }> = {
  plain: { input: {}, shown: [':2: n\u00e4chste: NEEDLE \u{1f600}', ':4: third NEEDLE'] },
  'a pattern': {
    input: { pattern: '^n.chste: NEEDLE .$|third', ignoreCase: true },
    shown: [':2: n\u00e4chste: NEEDLE \u{1f600}', ':4: third NEEDLE'],
  },
  context: {
    input: { before: 1 },
    shown: ['-1- erste Zeile', ':2: n\u00e4chste: NEEDLE \u{1f600}', '-3- second', ':4: third NEEDLE'],
  },
  multiline: {
    input: { pattern: 'NEEDLE .\nsecond', multiline: true },
    shown: [':2: n\u00e4chste: NEEDLE \u{1f600}', ':3: second'],
  },
};

const CASES = Object.entries(encode).flatMap(([encoding, encoded]) =>
  Object.entries(WAYS).map(([way, how]) => [encoding, way, encoded, how] as const),
);

test.each(some(CASES, 12))('%s, %s', { tags: 'slow' }, async (_, __, encoded, { input, path }) => {
  const { write, call } = place('oriel');
  const bytes = encoded(`\ufeff${TEXT}`);
  write('d/a.txt', bytes);
  write('other.txt', 'nothing of it\n');
  write('a.txt.gz', gzipSync(bytes));
  for (const at of ['a.zip', 'z/a.zip']) write(at, zip([{ name: 'a.txt', content: bytes }]));
  for (const [name, { input: more, shown }] of Object.entries(OPTIONS)) {
    const { text } = await call('grep', { pattern: 'NEEDLE', ...input, ...more });
    expect(text, name).toBe(shown.map((line) => path + line).join('\n'));
  }
  const { text } = await call('grep', { pattern: 'NEEDLE', output: 'count', ...input });
  expect(text, 'count').toBe(`${path}: 2`);
});

test.each(some(['utf-32le', 'utf-32be'], 1))(
  '%s: a text larger than the decoded blocks',
  { tags: 'slow' },
  async (name) => {
    const { write, call } = place('oriel');
    const lines = Array.from({ length: 120_000 }, (_, i) => `line ${i} \u{1f600}`);
    write('a.txt', (encode[name] as (text: string) => Buffer)(`\ufeff${lines.join('\n')}\nNEEDLE`));
    const shown = 'a.txt:120001: NEEDLE';
    for (const input of [{}, { path: 'a.txt' }, { sort: 'time' }])
      expect((await call('grep', { pattern: 'NEEDLE', ...input })).text).toBe(shown);
  },
);
