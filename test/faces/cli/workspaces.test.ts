import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runAsync } from '../../support/warm-cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';
import { answering } from '../../support/web.ts';

test('workspaces from arguments, files and commands have their own tokens', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('f', 'one\ntwo\n');
  const { url } = await server(['--cwd', W], { env: { ORIEL_TOKEN: 'of-dev' } });
  const home = temporaryFolder();
  mkdirSync(join(home, 'tokens'));
  const tokenFile = join(home, 'tokens/dev');
  writeFileSync(tokenFile, 'of-dev\n', { mode: 0o600 });
  const list = join(home, 'fleet.json');
  writeFileSync(
    list,
    JSON.stringify({ 'team/dev': { url, tokenFile: 'tokens/dev' }, gone: 'http://127.0.0.1:1' }),
  );
  const read = (path: string, ...args: string[]): ReturnType<typeof run> =>
    run(['read', path, ...args], { cwd: home });

  expect(
    read('ws://dev/f:2..2', '--workspace', `dev=${url}`, '--workspace-token-file', `dev=${tokenFile}`).out,
  ).toBe('2|two\n');
  expect(read('ws://team/dev/f:raw', '--workspaces', list).out).toBe('one\ntwo\n');
  expect(read('ws://team/dev/f:raw', '--workspaces-command', `cat ${list}`).out).toBe('one\ntwo\n');
  // Of several, one that is away fails alone.
  const both = read('ws://gone/f', 'ws://team/dev/f:1..1', '--workspaces', list);
  expect(both.out).toContain('1|one\n');
  expect([both.err, both.code]).toEqual([expect.stringContaining('The workspace gone: No answer came'), 2]);
  expect(read('ws://', '--workspaces', list).out).toBe(
    `ws://gone/  http://127.0.0.1:1  NETWORK\nws://team/dev/  ${url}  answers\n`,
  );
  const without = read('ws://dev/f', '--workspace', `dev=${url}`);
  expect([without.err, without.code]).toEqual([
    'oriel: The workspace dev requires a token. Set ORIEL_TOKEN_DEV to the token of this workspace. Use ws:// to see which workspaces answer.\n',
    2,
  ]);
  const wrong = run(['read', 'ws://dev/f', '--workspace', `dev=${url}`], {
    cwd: home,
    env: { ...process.env, ORIEL_TOKEN_DEV: 'another' },
  });
  expect(wrong.err).toMatch(/^oriel: The workspace dev does not accept the token\. Set ORIEL_TOKEN_DEV to /);
});

test('a server reports the state of each workspace', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('f', 'one\ntwo\n');
  const { url } = await server(['--cwd', W]);
  const named = [`dev=${url}`, 'gone=http://127.0.0.1:1', `idle=${url}`];
  const args = named.flatMap((one) => ['--workspace', one]);
  const front = await server(['--cwd', temporaryFolder(), ...args]);
  const read = async (path: string): Promise<unknown> =>
    (await front.post('/api/v0/tools/read', { path })).json();
  await read('ws://dev/f');
  await read('ws://gone/f');
  const metrics = await (await fetch(`${front.url}/metrics`)).text();
  /** By workspace: only those that were asked. */
  const of = (name: string): Record<string, number> =>
    Object.fromEntries(
      [...metrics.matchAll(new RegExp(`^oriel_workspace_${name}{workspace="(.*)"} (.*)$`, 'gm'))].map(
        ([, workspace, value]) => [workspace, Number(value)],
      ),
    );
  expect(of('requests_total')).toEqual({ dev: 1, gone: expect.toSatisfy((count) => count > 0) });
  expect(of('failures_total')).toEqual({ dev: 0, gone: of('requests_total')['gone'] });
  expect(of('answers_total')).toEqual({ dev: 1, gone: 0 });
  expect(of('running')).toEqual({ dev: 0, gone: 0 });
  expect(of('answer_seconds_total')).toEqual({ dev: expect.toSatisfy((time) => time > 0), gone: 0 });
});

test.each([
  ['{"dev":', 'end of JSON input'],
  ['[]', 'it is no JSON object'],
  ['{"dev":7}', 'dev has no http or https URL'],
  ['{"dev":"file:///etc"}', 'dev has no http or https URL'],
  ['{"dev":"http://user:secret@host/"}', 'dev has no http or https URL'],
  ['{"dev":"http://host/?at=ws1"}', 'dev has no http or https URL'],
  ['{"dev":"http://host/#ws1"}', 'dev has no http or https URL'],
  ['{"../x":"http://h"}', '../x cannot be the name of a workspace'],
  ['{"dev":{"url":"http://h","token":"secret"}}', 'dev has token, and only url and tokenFile are known'],
])('a list that holds %s is refused', (text, why) => {
  const home = temporaryFolder();
  const list = join(home, 'fleet.json');
  writeFileSync(list, text);
  for (const args of [
    ['--workspaces', list],
    ['--workspaces-command', `cat ${list}`],
  ]) {
    const { out, err, code } = run(['read', 'ws://dev/f', ...args], { cwd: home });
    expect([out, code]).toEqual(['', 2]);
    expect(err).toContain(why);
    expect(err).not.toContain('secret');
  }
});

test('a command that fails and an invalid name are refused', () => {
  const failing = run(['read', 'ws://', '--workspaces-command', 'echo no list >&2; exit 3'], {});
  expect([failing.err, failing.code]).toEqual([
    'oriel: The command of --workspaces-command cannot be used: it ended with 3: no list. Use JSON such as {"dev":"http://127.0.0.1:7345"}.\n',
    2,
  ]);
  for (const given of ['dev', 'a b=http://h', 'dev=ftp://h', '=http://h'])
    expect(run(['read', 'ws://', '--workspace', given], {}).err).toBe(
      `oriel: ${given} is not NAME=URL. Use --workspace dev=http://127.0.0.1:7345.\n`,
    );
  expect(
    run(['read', 'ws://', '--workspace', 'dev=http://h', '--workspace-token-file', 'prod=f'], {}).err,
  ).toBe('oriel: There is no workspace prod for its token. Add --workspace prod=URL.\n');
});

test('a variable for the tokens of two workspaces reaches neither', async () => {
  const heard: (string | undefined)[] = [];
  const url = await answering(({ headers }, response) => {
    heard.push(headers.authorization);
    response.writeHead(404).end();
  });
  const home = temporaryFolder();
  writeFileSync(join(home, 'token'), 'of-two\n', { mode: 0o600 });
  const read = (names: readonly string[], env: NodeJS.ProcessEnv, ...more: string[]) =>
    runAsync(['read', 'ws://', ...names.flatMap((name) => ['--workspace', `${name}=${url}`]), ...more], {
      cwd: home,
      env: { ...process.env, ...env },
    });
  const of = (variable: string, name: string, other: string): string =>
    `oriel: ${variable} would be the token of the workspace ${name} and of ${other}. Use --workspace-token-file ${name}=FILE, or tokenFile in the list.\n`;
  const set = { ORIEL_TOKEN_ME_DEV: 'of-one' };
  const outcomes = await Promise.all([
    read(['me-dev', 'me_dev'], set),
    read(['Me.Dev', 'x', 'me/dev'], set),
    read(['дев', 'мир'], { ORIEL_TOKEN____: 'of-one' }),
    read(['file'], { ORIEL_TOKEN_FILE: 'a/path' }),
  ]);
  expect(outcomes.map(({ err }) => err)).toEqual([
    of('ORIEL_TOKEN_ME_DEV', 'me_dev', 'me-dev'),
    of('ORIEL_TOKEN_ME_DEV', 'me/dev', 'Me.Dev'),
    of('ORIEL_TOKEN____', 'мир', 'дев'),
    of('ORIEL_TOKEN_FILE', 'file', 'this server'),
  ]);
  expect(heard).toEqual([]);
  // Not set, or with a file for all but one, it belongs to one.
  await read(['me-dev', 'me_dev'], {});
  expect(heard.splice(0)).toEqual([undefined, undefined]);
  await read(['me-dev', 'me_dev'], set, '--workspace-token-file', 'me_dev=token');
  expect(new Set(heard)).toEqual(new Set(['Bearer of-one', 'Bearer of-two']));
});
