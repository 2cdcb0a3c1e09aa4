import { join } from 'node:path';
import { expect, test } from 'vitest';
import { remoteWorkspace } from '../../packages/scale/src/remote-workspace.ts';
import '../support/scale.ts';
import { run } from '../support/cli.ts';
import { server } from '../support/server.ts';
import { session } from '../support/wire.ts';
import { codeOf, SECRET, textOf, workspace } from '../support/workspace.ts';

const tool = 'coder_workspace_read_file';

test('a remote workspace is read as if it were local', { tags: 'slow' }, async () => {
  const { W, write, with: walled } = workspace();
  const path = write('f', 'one\ntwo\nthree\n');
  const { url } = await server(['--cwd', W]);
  const oriel = walled({ dialect: 'coder', workspaces: { dev: remoteWorkspace({ url }) } });
  const read = oriel.tool(tool);
  for (const input of [{ path }, { path, offset: 2 }, { path, offset: 2, limit: 1 }, { path, offset: 9 }]) {
    // Facts about the file beyond the answer's own fields stay where it lies.
    const { content, isError } = await read.run({ workspace: 'local', ...input });
    expect(await read.run({ workspace: 'dev', ...input })).toMatchObject({ content, isError });
    expect(await read.run({ workspace: 'me/dev', ...input })).toMatchObject({ content, isError });
  }
  for (const missing of ['none', '../outside/secret.txt', '.']) {
    const answer = await read.run({ workspace: 'dev', path: join(W, missing) });
    expect(answer.isError).toBe(true);
    expect(answer.content).toEqual((await read.run({ workspace: 'local', path: join(W, missing) })).content);
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  }
  expect(textOf(await read.run({ workspace: 'prod', path }))).toBe(
    '{"error":"There is no workspace prod here. Use one of local, dev."}',
  );
});

test('a workspace that fails or floods is an error answer', async () => {
  const { with: walled } = workspace();
  const lines = { success: true, file_size: 1, total_lines: 1, lines_read: 1, error: '' };
  const oriel = walled({
    dialect: 'coder',
    workspaces: {
      gone: remoteWorkspace({ url: 'http://127.0.0.1:1', retries: 0 }),
      flood: { readFileLines: () => Promise.resolve({ ...lines, content: 'x'.repeat(40_000) }) },
    },
  });
  const read = oriel.tool(tool);
  expect(codeOf(await read.run({ workspace: 'gone', path: '/f' }))).toBe('NETWORK');
  const flood = await read.run({ workspace: 'flood', path: '/f' });
  expect(codeOf(flood)).toBe('LIMIT');
  expect(textOf(flood)).toBe(
    '{"error":"The workspace flood answered 40000 bytes, more than the 32768 of an answer. Read less at a time using offset and limit parameters."}',
  );
});

test('--workspace names it for CLI and MCP, with own token', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  const path = write('f', 'one\n');
  const { url } = await server(['--cwd', W], { env: { ORIEL_TOKEN: 'secret-of-dev' } });
  const args = ['--dialect', 'coder', '--workspace', `me/dev=${url}`];
  const call = (env: NodeJS.ProcessEnv): ReturnType<typeof run> =>
    run(['call', tool, JSON.stringify({ workspace: 'me/dev', path }), ...args], {
      env: { ...process.env, ...env },
    });
  expect(call({ ORIEL_TOKEN_ME_DEV: 'secret-of-dev' }).out).toBe(
    '{"content":"1\\tone","file_size":4,"total_lines":1,"lines_read":1}\n',
  );
  expect(call({}).err).toContain('This server wants its token');
  const running = await session(args);
  const reply = await running.ask(1, 'tools/call', {
    name: tool,
    arguments: { workspace: 'me/dev', path },
  });
  expect(JSON.stringify(reply)).toContain('This server wants its token');
  expect(run(['call', tool, '{}', '--dialect', 'coder', '--workspace', 'dev'], {}).err).toBe(
    'oriel: dev is not NAME=URL. Use --workspace dev=http://127.0.0.1:7345.\n',
  );
});
