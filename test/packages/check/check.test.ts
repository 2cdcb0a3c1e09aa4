/**
 * What `oriel check` finds: nothing in oriel, in a small honest server what it lacks, and each fault by its case.
 *
 * @module-tag slow
 */

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../../../packages/check/src/audit.ts';
import { cases } from '../../../packages/check/src/cases.ts';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { run, runAsync } from '../../support/warm-cli.ts';
import '../../support/check.ts';

const { signal } = new AbortController();
const fileServer = resolve('test/support/file-server.mjs');

/** Those that take long, and a race that this server loses now and then. */
const LEFT_OUT = ['large', 'wall-race'];
const few = cases.filter(({ id }) => !LEFT_OUT.includes(id));

/** What is broken, by the id of the case. */
async function brokenIn(fault: string, deadlineMs?: number, tried = few): Promise<Record<string, string>> {
  const command = [process.execPath, fileServer, fault];
  const { findings } = await audit(command, tried, { signal, deadlineMs });
  return Object.fromEntries(
    findings.flatMap(({ id, verdict, reason = '' }) => (verdict === 'broken' ? [[id, reason]] : [])),
  );
}

test('oriel mcp passes every case, without exception', async () => {
  const { out, err, code } = await runAsync(['check', '--json', '--', process.execPath, cli, 'mcp', '{}']);
  expect(err).toBe('');
  const report = JSON.parse(out) as { held: number; cases: { verdict: string }[] };
  expect(report.cases.filter(({ verdict }) => verdict !== 'held')).toEqual([]);
  expect(report.held).toBe(cases.length);
  expect(code).toBe(0);
});

test('a correct server passes all cases that its tools support', async () => {
  expect(await brokenIn('none')).toEqual({});
});

/** A server with this fault that starts only once: after the first case that it breaks no other one is tried. */
function onlyOnce(fault: string): string[] {
  const mark = join(temporaryFolder(), 'mark');
  const once = join(temporaryFolder(), 'once.mjs');
  writeFileSync(
    once,
    `import { existsSync, writeFileSync } from 'node:fs';
    if (existsSync(${JSON.stringify(mark)})) process.exit(1);
    writeFileSync(${JSON.stringify(mark)}, '');
    await import(${JSON.stringify(fileServer)});`,
  );
  return [process.execPath, once, fault];
}

test('findings are reported though the server never starts again', async () => {
  const { findings, roles } = await audit(onlyOnce('floods'), few, { signal });
  const broken = findings.findIndex(({ verdict }) => verdict === 'broken');
  expect(findings).toHaveLength(few.length);
  expect(roles.read).toBeDefined();
  expect(findings[broken]?.id).toBe('bounded-file');
  expect(new Set(findings.slice(broken + 1).map(({ reason }) => reason))).toEqual(
    new Set(['the server did not start again']),
  );
});

const NO_ANSWER = 'no answer within 4 s';
/** Cases that no fault here breaks. That a correct server breaks none of all is tested above. */
const OTHERS = ['phantom-line', 'sparse'];
const LEAK = 'the answer holds bytes from outside the root';
const NAME = expect.stringMatching(
  /^the answer holds a name from outside the root: of-[0-9a-f]{12}\.txt$/,
) as string;

test.each<[string, Record<string, string>, number?]>([
  [
    'leaks by names',
    {
      'wall-parent': LEAK,
      'wall-absolute': expect.any(String),
      'wall-link': LEAK,
      'wall-link-chain': LEAK,
      'wall-directory-link': LEAK,
      'wall-list': NAME,
      'wall-kernel': expect.any(String),
    },
    4_000,
  ],
  [
    'leaks by links',
    {
      'wall-link': LEAK,
      'wall-link-chain': LEAK,
      'wall-directory-link': LEAK,
      'wall-list': NAME,
    },
    4_000,
  ],
  [
    'cuts lines',
    {
      'whole-lines': expect.stringMatching(/^a line is cut: "row-\d/),
      pages: expect.stringMatching(/^after line \d+ of 15000 no next call is named$/),
    },
  ],
  [
    'floods',
    {
      'bounded-file': expect.stringMatching(/^the answer has \d+ bytes, not at most 65536$/),
      'bounded-line': 'the answer has 8388608 bytes, not at most 65536',
    },
  ],
  ['lies in its continuation', { pages: expect.stringMatching(/^page 3 shows line \d+ after line \d+$/) }],
  ['crashes', { nul: 'the server ended' }],
  [
    'shows stacks',
    Object.fromEntries(
      ['missing', 'controls', 'wall-absolute', 'wall-encoded'].map((id) => [id, 'the error shows a stack']),
    ),
  ],
  ['shows controls', { 'control-names': 'the answer holds control characters unescaped' }],
  ['hangs on FIFOs', { fifo: NO_ANSWER, 'eight-fifos': NO_ANSWER }, 4_000],
])('a server that %s is detected', async (fault, wanted, deadlineMs) => {
  const tried = few.filter(({ id }) => id in wanted || OTHERS.includes(id));
  expect(await brokenIn(fault, deadlineMs, tried)).toEqual(wanted);
});

test('a server that writes during reads is detected', async () => {
  // Not by all of them: after each one the server is started anew.
  const ids = ['phantom-line', 'wall-link', 'wall-list', 'device'];
  const broken = await brokenIn(
    'writes',
    undefined,
    few.filter(({ id }) => ids.includes(id)),
  );
  expect(Object.values(broken)).toEqual([
    'files were changed by the start or the first calls',
    ...Array.from({ length: ids.length - 1 }, () => 'files were changed by reading'),
  ]);
});

test('a server that counts a phantom line is detected', async () => {
  const tried = few.filter(({ id }) => id === 'phantom-line');
  expect(await brokenIn('counts a phantom line', undefined, tried)).toEqual({
    'phantom-line': 'a fourth line is counted',
  });
});

test('findings come as text, JSON and SARIF, with exit 1', async () => {
  const command = ['--case', 'nul', '--case', 'fifo-search', '--', process.execPath, fileServer, 'crashes'];
  const { out, code } = run(['check', ...command]);
  const sarif = run(['check', '--sarif', ...command]);
  expect(code).toBe(1);
  expect(out.split('\n')[0]).toBe('read: read_file(path); list: list_directory(path)');
  expect(out).toMatch(/^BROKEN {3}errors +nul +a path with a NUL byte: the server ended$/m);
  expect(out).toMatch(/^skipped {2}hangs +fifo-search +a search over .*: it has no tool for searching$/m);
  const report = JSON.parse(sarif.out) as {
    version: string;
    runs: { results: { ruleId: string; level: string; message: { text: string } }[] }[];
  };
  expect(sarif.code).toBe(1);
  expect(report.version).toBe('2.1.0');
  expect(
    report.runs[0]?.results.filter(({ level, ruleId }) => level === 'error' && ruleId === 'nul'),
  ).toMatchObject([
    {
      message: {
        text: 'a path with a NUL byte: the server ended\ncall: read_file {"path":"plain.txt\\u0000.png"}',
      },
    },
  ]);
});

test('a mapping names the tools; a wrong one fails', () => {
  const file = join(temporaryFolder(), 'map.json');
  const command = ['check', '--map', file, '--', process.execPath, fileServer];
  writeFileSync(file, '{"read":{"tool":"look","path":"path"}}');
  expect(run(command)).toEqual({
    out: '',
    err: 'oriel: The server has no tool look. Use one of read_file, list_directory.\n',
    code: 2,
  });
  writeFileSync(file, '{"read":"read_file"}');
  expect(run(command).err).toMatch(/^oriel: The mapping is not valid\. Use \{"read":\{"tool":"NAME"/);
});

test('a command that is not a server is an error', () => {
  expect(run(['check', '--', process.execPath, '-e', '0'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/is not an MCP server that could be started\. Use oriel check -- COMMAND/),
  });
  expect(run(['check'])).toMatchObject({
    code: 2,
    err: 'oriel: There is nothing to check. Use oriel check -- COMMAND.\n',
  });
});
