/** Who is refused something is told what allows it in the words of the way in: options of the library, a command or a server. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { orielOptions } from '../src/faces/cli/dialect-tool.ts';
import { offerOptions } from '../src/faces/cli/server-options.ts';
import { createOffer } from '../src/faces/offer.ts';
import { createOriel } from '../src/index.ts';
import { temporaryFolder } from './support/commands.ts';

type Read = (path: string) => Promise<string>;

const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  content.map((block) => ('text' in block ? String(block.text) : '')).join('');

function library(options: object): Read {
  const folder = temporaryFolder();
  const oriel = createOriel({ cwd: folder, roots: [folder], cache: false, ...options });
  onTestFinished(() => oriel.close());
  return async (path) => textOf(await oriel.tool('read').run({ path }));
}

async function server(values: object): Promise<Read> {
  const streams = { err: process.stderr, signal: new AbortController().signal, tokens: {} };
  const folder = temporaryFolder();
  const all = { 'no-cache': true, ...values };
  const offer = createOffer(await offerOptions({ values: all, operands: [folder] } as never, streams));
  onTestFinished(() => offer.close());
  return async (path) => textOf(await offer.read(path));
}

const ways: Record<string, (on: boolean) => Read | Promise<Read>> = {
  library: (on) => library(on ? { web: true } : {}),
  command: (on) => {
    const folder = temporaryFolder();
    return library(orielOptions({ cwd: folder, root: [folder], 'no-cache': true, ...(on && { web: true }) }));
  },
  server: (on) => server(on ? { web: true } : {}),
};

const MISSING = {
  'http://docs.example/': {
    library: 'allow it with web: true.',
    command: 'allow it with --web, and without --offline.',
    server: 'allow it with --web, and without --offline.',
  },
  'issue://a/b/1': {
    library: 'allow it with web: true.',
    command: 'allow it with --web, and without --offline.',
    server: 'allow it with --web, and without --offline.',
  },
  's3://bucket/key': {
    library: 'allow them with s3: true.',
    command: 'allow them with --s3 BUCKET, and without --offline.',
    server: 'allow them with --s3 BUCKET, and without --offline.',
  },
  'mcp://notes/x': {
    library: 'allow it with the option mcpServers.',
    command: 'allow it with --mcp-resources.',
    server: 'allow it with --mcp-resources.',
  },
  'ws://dev/x': {
    library: 'name them with the option workspaces.',
    command: 'name them with --workspace NAME=URL.',
    server: 'name them with --workspace NAME=URL.',
  },
  'agent://x': {
    library: 'name it with the option agentOutputs; until then',
    command: 'name it with --agent-outputs DIR; until then',
    server: 'name it with --agent-outputs DIR; until then',
  },
  'skill://': {
    library: 'allow them with userFiles: true',
    command: 'allow them with --user-files',
    server: 'allow them with --user-files',
  },
};

describe.each(Object.entries(ways))('%s', (way, reader) => {
  test.each(Object.entries(MISSING))('%s', async (path, words) => {
    const read = await reader(false);
    expect(await read(path)).toMatch(/[Tt]he operator of oriel/);
    expect(await read(path)).toContain(words[way as keyof typeof words]);
  });

  test('an address that is not public', async () => {
    const words =
      way === 'library' ? "with web: { allow: ['127.0.0.1:8999'] }" : 'with --allow-net 127.0.0.1:8999';
    const read = await reader(true);
    expect(await read('http://127.0.0.1:8999/')).toContain(words);
  });
});

test('texts of the library name no command line option', () => {
  const inner = 'call code files formats network process render search session target text walk'.split(' ');
  const files = inner.flatMap((folder) =>
    readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('src', folder, name)),
  );
  const SAID = /[a-z:,] (?:with|without|by|use|add|out|one:) --[a-z]/i;
  const found = files.filter((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => SAID.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line)),
  );
  expect(found).toEqual([]);
});
