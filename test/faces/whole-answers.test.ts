/**
 * Whatever is asked, an answer for a host that nobody has measured stays within 19,500 characters and 1,990 lines, its notices
 * included: counted as the host counts them, which is in JSON where facts are structured content.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fittedTo } from '../../src/faces/hosts.ts';
import { toolResult } from '../../src/faces/mcp/tool-result.ts';
import { createOriel, type DialectName, dialectNames, type Oriel } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { docx, paragraph, sheetRow, xlsx } from '../support/documents.ts';
import { numbered } from '../support/dialect.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { zip } from '../support/zip.ts';

const MOST_CHARACTERS = 19_500;
const MOST_LINES = 1_990;

const many = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join('');

/** A class with methods of several lines. */
const code = (methods: number): string =>
  `export class Big {\n${many(methods, (i) => `  method${i}(a: number, b: string): number {\n    const sum = a + ${i};\n    return sum;\n  }\n\n`)}}\n`;

const folder = mkdtempSync(join(tmpdir(), 'oriel-test-'));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Texts that are larger as they are shown than as they are stored, in lines or in bytes. */
const TEXTS: Readonly<Record<string, string | Uint8Array>> = {
  'short.txt': 'x\n'.repeat(20_000),
  'quotes.txt': `${'"'.repeat(400)}\n`.repeat(2_000),
  'controls.txt': `${'\u0001'.repeat(90)}\n`.repeat(2_000),
  'one-line.txt': '"\\'.repeat(200_000),
  'wide.txt': `${'\u{1F600}'.repeat(120)}\r\n`.repeat(2_000),
  'latin.txt': Buffer.from(`${'\xe9t\xe9 '.repeat(60)}\n`.repeat(2_000), 'latin1'),
  'wide-lines.txt': `${'y'.repeat(3_000)}\n`.repeat(400),
  'big.ts': code(1_200),
  'conflicts.txt': many(2_000, (i) => `<<<<<<< a\nours ${i}\n=======\ntheirs ${i}\n>>>>>>> b\n`),
  'rows.csv': `id,name\n${many(20_000, (i) => `${i},"n ${i}"\n`)}`,
  'data.json': JSON.stringify(
    Array.from({ length: 5_000 }, (_, i) => ({ id: i, name: `n${i}` })),
    undefined,
    1,
  ),
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(TEXTS)) write(name, text);
  for (let i = 0; i < 30; i += 1)
    write(`part-with-a-rather-long-name-${i}/${'n'.repeat(120)}.txt`, numbered(1, 400, ' "x"'));
  for (let i = 0; i < 2_200; i += 1) write(`listed/${i}-${'"'.repeat(30)}.txt`, 'needle "quoted" \\ text\n');
  for (let i = 0; i < 20; i += 1) write(`code/file-${i}.ts`, code(40));
  write('a.zip', zip(Array.from({ length: 2_200 }, (_, i) => ({ name: `dir/${i}.txt`, content: 'x' }))));
  write('a.docx', docx(many(6_000, (i) => paragraph(`Paragraph "${i}" of the text`))));
  write(
    'a.xlsx',
    xlsx([['Sheet', `<sheetData>${many(3_000, (i) => sheetRow(i + 1, [`a ${i}`, i, 'text']))}</sheetData>`]]),
  );
  write(
    'nb.ipynb',
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: Array.from({ length: 1_500 }, (_, i) => ({
        cell_type: 'code',
        id: `c${i}`,
        metadata: {},
        source: [`x = "${i}"\n`, 'y'],
        outputs: [],
        execution_count: null,
      })),
    }),
  );
  const rows = many(3_000, (i) => `${i ? ',' : ''}(${i},'name "${i}"')`);
  write(
    'app.db',
    await databaseBytes(
      'create table users(id integer primary key, name text)',
      `insert into users values ${rows}`,
      ...Array.from({ length: 700 }, (_, i) => `create table t${i}(a)`),
    ),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIST = Array.from(
  { length: 20 },
  (_, i) => `part-with-a-rather-long-name-${i}/${'n'.repeat(120)}.txt`,
).join(',');
const RANGES = Array.from({ length: 1_300 }, (_, i) => 1 + 7 * i).join(',');

const READS = [
  ...Object.keys(TEXTS).flatMap((name) => [name, `${name}:raw`, `${name}:@0+256K`]),
  'short.txt:-3000',
  'big.ts:1..',
  'big.ts:outline',
  'data.json:outline',
  'rows.csv:outline',
  'conflicts.txt:conflicts',
  `short.txt:${RANGES}`,
  `wide.txt:${RANGES}`,
  `big.ts:${RANGES}`,
  `big.ts:#Big`,
  `big.ts:${Array.from({ length: 300 }, (_, i) => `#method${i}`).join(',')}`,
  LIST,
  Array.from({ length: 20 }, (_, i) => `code/file-${i}.ts`).join(','),
  '.',
  'listed',
  'code:outline',
  'code:#method1',
  'code:#method1:refs',
  'a.zip',
  'a.zip:dir',
  'a.docx',
  'a.xlsx',
  'a.xlsx:Sheet:A1:C3000',
  'nb.ipynb',
  'nb.ipynb:outline',
  'app.db',
  'app.db:users',
  'app.db:users?limit=500',
  'app.db?q=select id, name, name as other from users',
  'oriel://',
  `${'x'.repeat(30_000)}`,
  `${'"'.repeat(3_000)}:5`,
  ...Array.from({ length: 3 }, (_, i) => `short.txt:${'9'.repeat(100 * i + 1)}`),
];

const OTHERS: readonly (readonly [string, object])[] = [
  ['grep', { pattern: 'x', path: 'short.txt', limit: 10_000 }],
  ['grep', { pattern: 'needle', path: 'listed', limit: 10_000 }],
  ['grep', { pattern: 'return', path: 'code', limit: 10_000, context: 200 }],
  ['grep', { pattern: 'nee', path: 'listed', output: 'files', limit: 10_000 }],
  ['grep', { pattern: 'nee', path: 'listed', output: 'count', limit: 10_000 }],
  ['grep', { pattern: '"', path: 'one-line.txt' }],
  ['grep', { pattern: 'name', path: 'app.db', limit: 10_000 }],
  ['grep', { pattern: 'x\\nx', path: 'short.txt', multiline: true, limit: 10_000 }],
  ['grep', { pattern: `(${'x'.repeat(9_000)}` }],
  ['find', { pattern: '*', limit: 20_000 }],
  ['ls', { path: 'listed', limit: 20_000 }],
  ['bash', { command: `seq 1 100000; seq 1 100000 >&2; exit 3` }],
  [
    'bash',
    { command: `head -c 300000 /dev/zero | tr '\\0' '"'; head -c 300000 /dev/zero | tr '\\0' '"' >&2` },
  ],
  ['bash', { command: `head -c 300000 /dev/zero` }],
];

const PLAIN_READS = ['short.txt', 'quotes.txt', 'controls.txt', 'one-line.txt', 'big.ts', 'a.zip', 'listed'];

function callsOf(dialect: DialectName, oriel: Oriel): (readonly [string, object])[] {
  if (dialect === 'oriel') return [...READS.map((path) => ['read', { path }] as const), ...OTHERS];
  const windows: Readonly<Record<string, readonly object[]>> = {
    pi: [{}, { offset: 5, limit: 100_000 }],
    'pi@0.74': [{}, { offset: 5, limit: 100_000 }],
    'pi@1.6': [{}, { offset: 5, limit: 100_000 }],
    zed: [{}, { start_line: 1, end_line: 100_000 }, { start_byte: 0, max_bytes: 1_000_000 }],
    'zdx@0.10': [{}, { keep: 'ends', max_line_length: 0 }],
    zdx: [{}, { max_line_length: 0 }, { keep: 'ends', max_line_length: 0 }],
    coder: [{}, { limit: 100 }, { limit: 60, offset: 2 }],
  };
  const named = new Set(oriel.tools.map(({ name }) => name));
  const absolute = (path: string): string => (dialect === 'coder' ? join(folder, path) : path);
  return oriel.tools.flatMap(({ name, jsonSchema }) => {
    if (name.includes('read')) {
      return PLAIN_READS.flatMap((path) =>
        (windows[dialect] ?? [{}]).map(
          (window) =>
            [
              name,
              { path: absolute(path), ...window, ...(name.startsWith('coder') && { workspace: 'local' }) },
            ] as const,
        ),
      );
    }
    const known = Object.keys((jsonSchema['properties'] ?? {}) as object);
    return OTHERS.filter(
      ([tool, input]) =>
        tool === name && named.has(tool) && Object.keys(input).every((key) => known.includes(key)),
    );
  });
}

/** As a host counts an answer that it shows. */
function sizeOf(text: string): { characters: number; lines: number } {
  return { characters: text.length, lines: text.split('\n').length };
}

test.each(
  dialectNames
    .filter((name) => !name.includes('@'))
    .flatMap((dialect) => [false, true].map((structured) => [dialect, structured] as const)),
)('%s, structured content: %s', { tags: 'slow' }, async (dialect, structured) => {
  const options = fittedTo(
    { name: 'nobody has measured it', structured },
    { dialect, cwd: folder, roots: [folder] },
  );
  const oriel = createOriel({ ...options, cache: false, web: false, spills: { state: temporaryFolder() } });
  const over: object[] = [];
  const calls = callsOf(dialect, oriel);
  for (const [tool, input] of structured ? calls.filter((_, at) => at % 6 === 0) : calls) {
    const answer = await oriel.tool(tool).run(input);
    const { content, structuredContent } = toolResult(answer, { structured });
    const text = structured
      ? JSON.stringify(structuredContent)
      : content.map((block) => ('text' in block ? block.text : '')).join('');
    const { characters, lines } = sizeOf(text);
    if (characters > MOST_CHARACTERS || lines > MOST_LINES)
      over.push({ tool, input: JSON.stringify(input).slice(0, 100), characters, lines });
  }
  await oriel.close();
  expect(over).toEqual([]);
});
