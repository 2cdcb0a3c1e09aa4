import { expect, test } from 'vitest';
import { adviceAfterTimeout } from '../../src/call/open-call.ts';
import type { EngineRequest } from '../../src/types/request.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

const window = 'Use a smaller window, such as the byte window :@0+64K of a file.';
const code =
  'Make the same call again, which continues with the files that are not parsed yet, or name a smaller directory.';

test.each([
  ['big.log', window],
  ['big.log:5000..', window],
  ['report.pdf:p3', window],
  ['src:outline', code],
  ['src:outline?bytes=32K', code],
  ['src:#Session.close:refs', code],
  ['#close', code],
  ['src/session.ts:refs', code],
  ['pkg.tgz:package:outline', code],
])('after a timeout, a read of %s suggests: %s', (target, advice) => {
  expect(adviceAfterTimeout({ kind: 'read', target, grammar: 'selectors' })).toBe(advice);
  expect(adviceAfterTimeout({ kind: 'read', target, grammar: 'literal' })).toBe(window);
});

test.each([
  ['lines', window],
  ['run', 'Use a longer timeout, or a command that ends sooner.'],
  ['search', 'Use a smaller directory, a glob that matches fewer files, or a literal pattern.'],
  ['count', 'Use a smaller directory, a glob that matches fewer files, or a literal pattern.'],
  ['find', 'Use a smaller directory.'],
  ['list', 'Use a smaller directory.'],
  ['symbols', code],
] as const)('after a timeout, %s suggests: %s', (kind, advice) => {
  expect(adviceAfterTimeout({ kind: kind } as EngineRequest)).toBe(advice);
});

test('a code question that times out suggests no byte window', async () => {
  const { write, with: walled } = workspace();
  write('src/a.ts', 'export function close(): void {}\n');
  const oriel = walled({ timeoutMs: 1 });
  const answer = await oriel.tool('read').run({ path: 'src:#close:refs' });
  expect([codeOf(answer), textOf(answer)]).toEqual([
    'TIMEOUT',
    `The call took longer than 0.001 seconds and was ended. ${code}`,
  ]);
});
