/** `--debug` shows on stderr what an answer does not explain; without it nobody sees a stack. */

import { expect, test } from 'vitest';
import { run } from '../../support/cli.ts';
import { server } from '../../support/server.ts';
import { session } from '../../support/wire.ts';
import { workspace } from '../../support/workspace.ts';

/** A fault of the process that no code of ours expects. */
const env = {
  ...process.env,
  NODE_OPTIONS: `--import data:text/javascript,performance.now=()=>{throw%20new%20Error('no%20clock')}`,
};
const SENTENCE = 'An unexpected error inside oriel ended the call. Try another path or window.';

test('a command', () => {
  const { W } = workspace();
  const { out, err, code } = run(['ls'], { cwd: W, env });
  const hint =
    'oriel: This is a bug of oriel. Please report it to those from whom you have it, with the stack that --debug prints.\n';
  expect([out, err, code]).toEqual(['', `${hint}oriel: ${SENTENCE}\n`, 2]);
  const debugged = run(['ls', '--debug'], { cwd: W, env });
  expect(debugged.code).toBe(2);
  expect(debugged.err).toMatch(/^oriel: INTERNAL in ls: Error: no clock\n +at .*data:text\/javascript/);
  expect(debugged.err).toContain(`\noriel: ${SENTENCE}\n`);
});

test('a command that fails before its call', () => {
  const { err } = run(['read', 'f', '--root', 'gone', '--debug']);
  expect(err).toMatch(
    /^oriel: .*gone does not exist\. Use a directory that does\.\noriel: NOT_FOUND: OrielError: /,
  );
  expect(err).toContain("code: 'ENOENT'");
});

test('a server over stdio, whose stdout stays the protocol’s', async () => {
  const { W } = workspace();
  const running = await session(['--cwd', W, '--debug'], 'test', env);
  const reply = await running.ask(1, 'tools/call', { name: 'ls', arguments: {} });
  expect(JSON.stringify(reply)).toContain(SENTENCE);
  expect(running.stderr()).toContain('oriel: INTERNAL in ls: Error: no clock');
});

test('a server over HTTP', { tags: 'slow' }, async () => {
  const { W } = workspace();
  const { post, log } = await server(['--cwd', W, '--debug'], { env });
  const answer = await post('/api/v0/tools/ls', {});
  expect(await answer.text()).toContain('inside oriel');
  expect(log()).toContain('Error: no clock');
});
