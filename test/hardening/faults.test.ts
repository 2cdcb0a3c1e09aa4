/**
 * The n-th operation on a file, a process or a connection fails, for every n: what is answered is right, or an error, or
 * says that it is a part; the next call is right; nothing stays open.
 *
 * @module-tag slow
 */

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtUrl } from '../support/built.ts';
import { temporaryFolder } from '../support/commands.ts';
import { docx, paragraph } from '../support/documents.ts';
import { makePng } from '../support/images.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { tar } from '../support/tar.ts';
import { article, paragraphs, site } from '../support/web.ts';
import { workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

interface Facts {
  readonly shown: string;
  readonly code: string;
  /** Codes of what the answer says is missing. */
  readonly said: readonly string[];
  readonly notices: readonly string[];
}

interface Outcome {
  readonly at: number;
  readonly how: number;
  readonly hit: boolean;
  readonly struck: Facts;
  readonly isWhole: boolean;
  readonly after: string;
}

interface Report {
  readonly count: number;
  readonly whole: Facts;
  readonly outcomes: readonly Outcome[];
  /** Files that are still open. */
  readonly left: readonly string[];
  readonly unexpected: readonly string[];
}

type Scenario = readonly [tool: string, input: object];

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

const scenarios: Readonly<Record<string, Scenario>> = {
  'a read': ['read', { path: 'small.txt' }],
  'a page deep inside a file': ['read', { path: 'large.txt:90000..90010' }],
  'the end of a file': ['read', { path: 'large.txt:-5' }],
  'a member of a zip': ['read', { path: 'a.zip:m.txt' }],
  'a member of a compressed tar': ['read', { path: 'a.tgz:m.txt' }],
  'a compressed file that outgrows memory': ['read', { path: 'large.gz:-1' }],
  'rows of a database': ['read', { path: 'a.db:t?limit=5' }],
  'a search': ['grep', { pattern: 'line 7$' }],
  'a search inside what is packed': ['grep', { pattern: 'line 7', inside: true, path: 'd' }],
  'a listing': ['ls', { path: '.' }],
  'paths of which some are kept': ['find', { pattern: '*.txt', path: 'many' }],
  'a command whose output is kept': ['bash', { command: 'seq 1 20000' }],
  'a document': ['read', { path: 'a.docx' }],
  'a picture': ['read', { path: 'a.png' }],
};

/** Codes that say what was wrong. `INTERNAL` is none of them. */
const STABLE = ['OK', 'BUSY', 'LIMIT', 'CORRUPT', 'NETWORK', 'TIMEOUT', 'UNSUPPORTED', 'DENIED', 'EXIT'];

/** That a part is missing is said by a code in the details, or in a notice. */
const isSaid = ({ struck }: Outcome, whole: Facts): boolean =>
  struck.said.length > 0 ||
  struck.notices.length > whole.notices.length ||
  struck.notices.some((text) => /could not be read|not used/.test(text));

async function furnish(write: (path: string, content: string | Uint8Array) => unknown): Promise<void> {
  write('small.txt', 'small\n');
  write('large.txt', lines(100_000));
  write('large.gz', gzipSync(Buffer.from(`${'0123456789abcdef'.repeat(8)}\n`.repeat(20_000))));
  write('a.zip', zip([{ name: 'm.txt', content: lines(2_000) }]));
  write('a.tgz', gzipSync(tar([{ name: 'm.txt', content: lines(2_000) }])));
  write('a.db', await databaseBytes('create table t(a); insert into t values (1), (2)'));
  write('a.docx', docx(paragraph('a text')));
  write('a.png', makePng(40, 30));
  write('d/e.txt', lines(20));
  for (let i = 0; i < 1_100; i += 1) write(`many/${i}.txt`, '');
  write('d/m.zip', zip([{ name: 'm.txt', content: lines(20) }]));
  write('d/.gitignore', 'ignored.txt\n');
  write('d/ignored.txt', lines(20));
}

/** How many operations of each scenario fail, all of them in the long run. */
const long = Boolean(process.env['ORIEL_ALL_FAULTS']);
const MOST = long ? 10_000 : 7;
const timeout = long ? 3_600_000 : 300_000;

async function strike(folder: string, [tool, input]: Scenario, web: object | false): Promise<Report> {
  const state = temporaryFolder();
  const options = { cwd: folder, roots: [folder], cache: false, web, spills: { state } };
  const preload = new URL('../support/faults-preload.mjs', import.meta.url).href;
  const host = new URL('../support/faults-host.mjs', import.meta.url).pathname;
  const job = JSON.stringify({ options, tool, input, most: MOST });
  const args = ['--import', preload, host, builtUrl('index.js').href, job];
  const env = { ...process.env, TMPDIR: state };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 256 << 20 });
  const left = (fs.readdirSync(state, { recursive: true }) as string[]).filter((name) =>
    fs.statSync(`${state}/${name}`).isFile(),
  );
  expect(left, 'files left behind').toEqual([]);
  return JSON.parse(stdout) as Report;
}

function expectHonest(name: string, { whole, outcomes, left, unexpected, count }: Report): void {
  if (long) console.info(`${name}: ${count} operations, ${outcomes.length} faults`);
  expect(whole.code).toBe('OK');
  expect(count).toBeGreaterThan(0);
  const wrong = outcomes.filter(
    (outcome) =>
      !STABLE.includes(outcome.struck.code) ||
      (!outcome.isWhole && outcome.struck.code === 'OK' && !isSaid(outcome, whole)) ||
      outcome.after !== 'whole',
  );
  expect(wrong.map(({ at, how, struck, after }) => ({ at, how, of: count, ...struck, after }))).toEqual([]);
  expect(outcomes.some(({ hit }) => hit)).toBe(true);
  expect(unexpected).toEqual([]);
  expect(left, 'descriptors left open').toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('F01 the n-th operation fails', () => {
  // No scenario writes there.
  const furnished = fs.mkdtempSync(join(tmpdir(), 'oriel-faults-'));
  beforeAll(() =>
    furnish((path, content) => {
      fs.mkdirSync(dirname(join(furnished, path)), { recursive: true });
      fs.writeFileSync(join(furnished, path), content);
    }),
  );
  afterAll(() => fs.rmSync(furnished, { recursive: true }));

  test.each(Object.entries(scenarios))('%s', { timeout }, async (name, scenario) => {
    expectHonest(name, await strike(furnished, scenario, false));
  });

  test('a web page', { timeout }, async () => {
    const { W } = workspace();
    const { url } = await site({ '/page': article('A page', paragraphs(3)) });
    expectHonest('a page', await strike(W, ['read', { path: `${url}/page` }], { allow: ['127.0.0.1'] }));
  });
});
