/**
 * Servers that work against `oriel check` itself: it touches nothing outside, ends, and is not deceived.
 *
 * @module-tag slow
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { audit, type AuditResult, formatAudit } from '../../../packages/check/src/audit.ts';
import type { HostileCase } from '../../../packages/check/src/case.ts';
import { cases } from '../../../packages/check/src/cases.ts';
import { SkippedCase } from '../../../packages/check/src/outcome.ts';
import { CheckSandbox } from '../../../packages/check/src/sandbox.ts';
import { temporaryFolder } from '../../support/commands.ts';
import '../../support/check.ts';

const { signal } = new AbortController();
const server = resolve('test/support/hostile-checked-server.mjs');

const check = (ids: readonly string[], mode: string, ...more: readonly string[]): Promise<AuditResult> =>
  audit(
    [process.execPath, server, mode, ...more],
    cases.filter(({ id }) => ids.includes(id)),
    { signal },
  );

const verdicts = ({ findings }: AuditResult): unknown =>
  findings.map(({ id, verdict, reason }) => [id, verdict, ...(reason === undefined ? [] : [reason])]);

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The directory for temporary files from now on. */
function newTmp(): string {
  const tmp = temporaryFolder();
  vi.stubEnv('TMPDIR', tmp);
  return tmp;
}

const ON_LINUX = process.platform === 'linux';
const IS_ROOT = process.getuid?.() === 0;

const LATE = 'files were changed after the last answer';
const CHANGED = 'the server changed the files of the check';
const LEAK = 'the answer holds bytes from outside the root';
const EARLY = 'files were changed by the start or the first calls';

test('a link that the server puts is not followed', async () => {
  const victim = join(temporaryFolder(), 'precious.txt');
  writeFileSync(victim, 'precious\n');
  const found = await check(['whole-lines', 'bounded-file'], 'links a file', victim);
  expect(found.findings.map(({ verdict }) => verdict)).toContain('broken');
  expect(readFileSync(victim, 'utf8')).toBe('precious\n');
});

test('a directory in place of the root is not emptied', async () => {
  const victim = temporaryFolder();
  mkdirSync(join(victim, 'sub'));
  writeFileSync(join(victim, 'sub/b.txt'), 'b');
  const found = await check(['missing', 'wall-parent'], 'swaps its root', victim);
  expect(found.findings.map(({ verdict }) => verdict)).toContain('broken');
  expect(readdirSync(victim, { recursive: true })).toEqual(['sub', 'sub/b.txt']);
});

test('a server that removes its root’s parent is reported', async () => {
  const tmp = newTmp();
  const found = await check(['missing', 'nul'], 'removes the directory above its root');
  for (const { verdict, evidence } of found.findings)
    expect([verdict, evidence?.changes]).toEqual(['broken', [CHANGED]]);
  expect(found.findings).toHaveLength(2);
  expect(found.notRemoved).toBeUndefined();
  expect(readdirSync(tmp)).toEqual([]);
});

test.skipIf(!ON_LINUX || IS_ROOT)('what cannot be removed is named, and the report kept', async () => {
  const tmp = newTmp();
  const found = await check(['missing'], 'locks a directory');
  const [left] = readdirSync(tmp);
  chmodSync(join(tmp, `${left}/work/locked`), 0o700);
  expect(found.findings[0]?.verdict).toBe('broken');
  expect(found.notRemoved).toEqual([`${join(tmp, left as string)} (EACCES)`]);
});

test('what cannot be removed is named if the check fails', async () => {
  newTmp();
  const remove = vi.spyOn(CheckSandbox.prototype, 'remove').mockReturnValue(['/tmp/oriel-check (EACCES)']);
  await expect(audit([process.execPath, '-e', '0'], cases, { signal })).rejects.toThrow(
    / The files of the check could not be removed: \/tmp\/oriel-check \(EACCES\)\.$/,
  );
  remove.mockRestore();
});

test.each([
  // It is not opened, which would block.
  ['puts a FIFO in the place of a file', 'whole-lines', EARLY],
  ['leaks in metadata', 'wall-parent', LEAK],
  ['leaks in a binary block', 'wall-parent', LEAK],
  ['leaks letter by letter', 'wall-parent', LEAK],
  ['leaks in a result that is not valid', 'wall-parent', LEAK],
  ['leaks in a notification', 'wall-parent', LEAK],
  ['leaks in an error', 'wall-parent', LEAK],
  ['leaks in its instructions', 'missing', LEAK],
  ['leaks at its start', 'missing', LEAK],
  ['leaks in its first listing', 'missing', LEAK],
  // Which is no refusal.
  ['answers with what is not valid', 'wall-parent', /^the answer is not one of MCP: /],
  ['writes at its start', 'missing', EARLY],
  ['removes the secret', 'missing', EARLY],
  ['restores times', 'missing', /^(?:files were changed by reading|a small file is not read)/],
])('a server that %s is detected', async (mode, id, reason) => {
  expect(verdicts(await check([id], mode))).toEqual([[id, 'broken', expect.stringMatching(reason)]]);
});

test.each([
  // In linear time.
  ['shows a line of megabytes', 'shows a long line', 'whole-lines'],
  ['has thousands of tools, of which the first are looked at', 'has too many tools', 'missing'],
  ['has its tools on later pages', 'pages its tools', 'missing'],
])('a server that %s is checked', async (_, mode, id) => {
  expect(verdicts(await check([id], mode))).toEqual([[id, 'held']]);
});

test('a server that removes its root is reported', async () => {
  const found = await check(['missing', 'wall-parent'], 'removes its root');
  expect(found.findings.map(({ verdict }) => verdict)).toEqual(['broken', 'broken']);
});

test('what cannot be tried leaves nothing for the next case', async () => {
  const first = cases[0] as HostileCase;
  const skips: HostileCase = {
    ...first,
    id: 'skips',
    prepare(sandbox) {
      sandbox.write('left.txt', '');
      throw new SkippedCase('not here');
    },
  };
  let left: string[] = [];
  const looks: HostileCase = {
    ...first,
    id: 'looks',
    prepare: (sandbox) => void (left = readdirSync(sandbox.root)),
    run: () => Promise.resolve(),
  };
  const found = await audit([process.execPath, server, 'none'], [skips, looks], { signal });
  expect(verdicts(found)).toEqual([
    ['skips', 'skipped', 'not here'],
    ['looks', 'held'],
  ]);
  expect(left).toEqual(['plain.txt']);
});

test('a tool name with escapes is neither used nor shown', async () => {
  const found = await check(['missing'], 'names a tool with escapes');
  expect(verdicts(found)).toEqual([['missing', 'skipped', 'it has no tool for reading a file']]);
  const mapped = { ...found, roles: { read: { tool: '\u001b[2J\nheld', path: 'p\u001b' } } };
  expect(formatAudit(mapped).split('\n')[0]).toBe(String.raw`read: \x1b[2J\nheld(p\x1b)`);
});

test('a reading tool lists when the listing tool fails', async () => {
  expect((await check(['wall-list'], 'lists with read')).roles.list?.tool).toBe('read');
});

test('a tool that fails for every call is not checked', async () => {
  const search = JSON.stringify({
    read: { tool: 'read', path: 'path' },
    search: { tool: 'read', path: 'path', pattern: 'pattern' },
  });
  const command = [process.execPath, server, 'none'];
  await expect(audit(command, cases, { mapping: search, signal })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message:
      'read does not search the directory of the sandbox: No. Name the directory with {} in the command, or the tools with --map.',
  });
  // The tool for files was tried as one for directories.
  expect(verdicts(await check(['wall-list'], 'none'))).toEqual([
    [
      'wall-list',
      'skipped',
      'it has no tool for listing a directory: read does not list the directory of the sandbox: No',
    ],
  ]);
});

test('writes at its end count for the last case', async () => {
  const ended: string[] = [];
  const found = await audit(
    [process.execPath, server, 'writes at its end'],
    cases.filter(({ id }) => ['missing', 'nul', 'fifo-search'].includes(id)),
    {
      signal,
      progress: { begins: () => undefined, ended: ({ id, verdict }) => void ended.push(`${id} ${verdict}`) },
    },
  );
  expect(verdicts(found)).toEqual([
    ['fifo-search', 'skipped', 'it has no tool for searching'],
    ['missing', 'held'],
    ['nul', 'broken', LATE],
  ]);
  expect(found.findings[2]?.evidence).toEqual({ changes: ['new: work/journal'] });
  expect(ended).toEqual(['fifo-search skipped', 'missing held', 'nul held', 'nul broken']);
});

test('late writes count for the case before, not the next', async () => {
  const missing = cases.find(({ id }) => id === 'missing') as HostileCase;
  let tries = 0;
  const second: HostileCase = {
    ...missing,
    id: 'second',
    async prepare(sandbox) {
      tries += 1;
      sandbox.write('second.txt', '');
      if (tries === 1) await expect.poll(() => existsSync(join(sandbox.root, 'late'))).toBe(true);
    },
    run: () => Promise.resolve(),
  };
  const command = [process.execPath, server, 'writes when a file appears'];
  const found = await audit(command, [missing, second], { signal });
  expect(verdicts(found)).toEqual([
    ['missing', 'broken', LATE],
    ['second', 'held'],
  ]);
  expect(found.findings[0]?.evidence).toEqual({ changes: ['new: work/late'] });
  expect(tries).toBe(2);
});

test('a case whose files the system refuses is skipped', async () => {
  const refused: HostileCase = {
    ...(cases.find(({ id }) => id === 'missing') as HostileCase),
    prepare: () => void readFileSync(join(temporaryFolder(), 'none')),
  };
  expect(verdicts(await audit([process.execPath, server, 'none'], [refused], { signal }))).toEqual([
    ['missing', 'skipped', 'its files could not be made: ENOENT'],
  ]);
});

test('files that cannot be made: the error says where', async () => {
  const missing = join(temporaryFolder(), 'none');
  vi.stubEnv('TMPDIR', missing);
  await expect(check(['missing'], 'none')).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: `The files of the check cannot be made in ${missing}: ENOENT. Name another directory with TMPDIR.`,
  });
});

test.runIf(ON_LINUX)('memory of a process that left the tree is counted', async () => {
  const found = await check(['missing'], 'leaves a process that takes memory', temporaryFolder());
  expect(verdicts(found)).toEqual([['missing', 'broken', 'it took over 300 MB of memory']]);
});

test('an endless list of tools ends at the start deadline', async () => {
  const command = [process.execPath, server, 'lists without end'];
  await expect(audit(command, cases, { signal, startMs: 1_000 })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('is not an MCP server that could be started.'),
  });
});
