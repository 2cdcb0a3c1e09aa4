/** Private files over HTTP: their rules, which only the operator sees, and archives that are sent as they are stored. */

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createClient, unwrap } from '../../../src/faces/client/client.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { tar } from '../../support/tar.ts';
import { workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

test('the operator sees the rules, and which of them decides', async () => {
  const { W, write } = workspace();
  const env = write('.env', 'KEY=1\n');
  write('.cursorignore', '# keys\nkeys/\n');
  write('keys/a.ts', 'a\n');
  const offer = openOffer({ cwd: W, roots: [W], deny: ['.env'], cache: false });
  const { url } = await serveOffer(offer, { token: 'api', operatorToken: 'chief' });
  const operator = createClient({ url, token: 'chief' });
  const rules = [
    { rule: '.env', from: 'the option deny' },
    { rule: 'keys/', from: '.cursorignore', line: 2 },
    ...'objects/ index index.lock rebase-apply/ rebase-merge/patch rr-cache/ lost-found/ COMMIT_EDITMSG'
      .split(' ')
      .map((end) => ({ rule: `**/.git/**/${end}`, from: 'oriel itself' })),
    { rule: '**/*.git/objects/', from: 'oriel itself' },
  ];
  expect(unwrap(await operator.privateFiles())).toEqual({ rules });
  expect(unwrap(await operator.privateFiles({ path: `${W}/keys/a.ts` }))).toEqual({
    rules,
    decision: {
      private: true,
      message: expect.stringContaining('keys/a.ts is private by the rule keys/ of .cursorignore:2, which'),
    },
  });
  expect(unwrap(await operator.privateFiles({ path: 'keys/a.ts' })).decision?.private).toBe(true);
  expect(unwrap(await operator.privateFiles({ path: `${W}/none` })).decision).toEqual({
    private: false,
    message: `${W}/none is not private.`,
  });
  const client = createClient({ url, token: 'api' });
  for (const path of [undefined, env])
    expect(await client.privateFiles({ path })).toMatchObject({ error: { status: 403, code: 'DENIED' } });
  expect(unwrap(await client.readFileLines(env)).error).toMatch(`Use ${W} to list the working directory.`);
});

/** A program of 5 KB that unpacks what is behind it. */
const behind = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`#!/bin/sh\n${'# \n'.repeat(1_700)}exit\n`), bytes]);

const open = tar([{ name: 'ok.txt', content: 'fine\n' }]);
const hidden = tar([
  { name: 'ok.txt', content: 'fine\n' },
  { name: 'a/.env', content: 'marrow\n' },
]);

test.each<[string, Uint8Array, number]>([
  ['a.tar', open, 200],
  ['a.gz', gzipSync('fine\n'), 200],
  ['a.zip', Buffer.from('no archive\n'), 200],
  ['a.tar', hidden, 403],
  ['a.tgz', gzipSync(hidden), 403],
  ['a.txt', gzipSync(gzipSync(hidden)), 403],
  ['a.tar', tar([{ name: 'b.txt', content: gzipSync(hidden) }]), 403],
  ['a.zip', zip([{ name: 'b.tar', content: hidden }]), 403],
  ['a.docx', zip([{ name: '.env', content: 'marrow\n' }]), 403],
  ['a.zip', zip([{ name: 'b.txt', localName: '.env', content: 'marrow\n' }]), 403],
  ['setup.run', behind(zip([{ name: '.env', content: 'marrow\n' }])), 403],
  ['setup.run', behind(zip([{ name: 'b.txt', content: 'fine\n' }])), 200],
  ['a.tar', hidden.subarray(0, 700), 403],
  ['.env.gz', gzipSync('marrow\n'), 403],
])('the stored bytes of %s are sent unless a member may be private', async (name, bytes, status) => {
  const { W, write } = workspace();
  write(name, bytes);
  const offer = openOffer({ cwd: W, roots: [W], deny: ['.env'], cache: false });
  const { url } = await serveOffer(offer, { token: 'api' });
  const ask = async (method: string, headers = {}): Promise<Response> =>
    fetch(`${url}/api/v0/read-file?path=${encodeURIComponent(join(W, name))}`, {
      method,
      headers: { authorization: 'Bearer api', ...headers },
    });
  const whole = await ask('GET');
  expect(whole.status).toBe(status);
  expect((await ask('GET', { range: 'bytes=0-3' })).status).toBe(status === 200 ? 206 : status);
  const head = await ask('HEAD');
  expect([head.status, head.headers.get('etag') === null]).toEqual([status, status !== 200]);
  if (status === 200) expect(Buffer.from(await whole.arrayBuffer())).toEqual(Buffer.from(bytes));
  else
    expect(await whole.json()).toMatchObject({
      code: 'PRIVATE',
      message: expect.not.stringContaining('marrow'),
    });
});
