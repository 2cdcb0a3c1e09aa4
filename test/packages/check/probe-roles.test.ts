/** Which tools of a server are checked: only those that do once what the cases need, so that no case holds for nothing. */

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { audit, type CaseFinding } from '../../../packages/check/src/audit.ts';
import { cases } from '../../../packages/check/src/cases.ts';
import { run } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import '../../support/check.ts';

const { signal } = new AbortController();
const fileServer = resolve('test/support/file-server.mjs');

async function found(role: string, fault: string): Promise<{ tool: unknown; findings: readonly unknown[] }> {
  const few = cases.filter((one) => one.role === role);
  const { roles, findings } = await audit([process.execPath, fileServer, fault], few, { signal });
  const shown = ({ id, verdict, reason }: CaseFinding): unknown => [id, verdict, ...(reason ? [reason] : [])];
  return { tool: roles[role as 'list']?.tool, findings: findings.map(shown) };
}

test('a search for names is none, and cases are skipped', async () => {
  const why =
    'it has no tool for searching: search_files does not search the directory of the sandbox: a word inside plain.txt is not found; it answers "No matches found"';
  expect(await found('search', 'searches names')).toEqual({
    tool: undefined,
    findings: ['bounded-search', 'wall-search', 'fifo-search', 'slow-pattern'].map((id) => [
      id,
      'skipped',
      why,
    ]),
  });
});

test('a search for content is found beside one for names', { tags: 'slow' }, async () => {
  expect(await found('search', 'searches both')).toEqual({
    tool: 'search_content',
    findings: [
      ['bounded-search', 'held'],
      ['wall-search', 'held'],
      ['fifo-search', 'held'],
      ['slow-pattern', 'skipped', 'its search takes no regular expressions'],
    ],
  });
});

test('a listing without the names of the files is none', async () => {
  const why =
    'it has no tool for listing a directory: list_directory does not list the directory of the sandbox: the answer does not name plain.txt; it answers "Done."';
  expect(await found('list', 'lists nothing')).toEqual({
    tool: undefined,
    findings: ['bounded-directory', 'wall-list', 'control-names'].map((id) => [id, 'skipped', why]),
  });
});

test('a mapped tool that does something else is an error', { tags: 'slow' }, () => {
  const file = join(temporaryFolder(), 'map.json');
  writeFileSync(
    file,
    JSON.stringify({
      read: { tool: 'read_file', path: 'path' },
      search: { tool: 'search_files', path: 'path', pattern: 'pattern' },
    }),
  );
  expect(run(['check', '--map', file, '--', process.execPath, fileServer, 'searches names'])).toEqual({
    out: '',
    err: 'oriel: search_files does not search the directory of the sandbox: a word inside plain.txt is not found; it answers "No matches found". Name the directory with {} in the command, or the tools with --map.\n',
    code: 2,
  });
});
