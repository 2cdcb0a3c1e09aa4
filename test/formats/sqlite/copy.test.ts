import { expect, onTestFinished, test } from 'vitest';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { createAccess } from '../../../src/files/local.ts';
import { defaultSettings } from '../../../src/assemble.ts';
import { Identity } from '../../../src/identity.ts';
import { createSession } from '../../../src/session/session.ts';
import { sqliteSource } from '../../../src/formats/table.ts';
import { copyOf } from '../../../src/formats/sqlite/open.ts';
import type { OpenedFile, ByteSource } from '../../../src/types/access.ts';
import type { Call } from '../../../src/types/call.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { wide } from '../../support/windows.ts';

/** A call without a gate around it: sources of members are opened this way by the sources of archives. */
function callOf(): Call {
  const session = createSession();
  onTestFinished(() => session.close());
  return {
    signal: new AbortController().signal,
    deadline: performance.now() + 200_000,
    limits: wide,
    settings: defaultSettings,
    access: createAccess({ cwd: '/', roots: [], allow: [] }),
    session,
    now: Date.now,
    progress: () => {},
    open: () => Promise.reject(new Error('nothing inside')),
    onEnd: (end) => onTestFinished(async () => void (await end())),
    part: () => {
      throw new Error('no part of this test');
    },
  };
}

test.each([
  ['a small one in memory', 1],
  ['a large one in a scratch file', 5000],
])('a database that is not a file: %s', async (_, rows) => {
  const content = await databaseBytes(
    `create table t(id integer primary key, a);
     with recursive n(i) as (values(1) union all select i + 1 from n where i < ${rows})
     insert into t select i, zeroblob(4000) from n`,
  );
  const opened: OpenedFile = {
    kind: 'file',
    path: '/archive.zip',
    size: content.length,
    mtimeMs: 0,
    bytes: memoryBytes(content),
    close: () => Promise.resolve(),
  };
  const subject = {
    typed: 'a.zip:t.db',
    rest: `t:${rows}`,
    name: 't.db',
    path: '/archive.zip',
    opened,
    head: content.subarray(0, 4096),
  };
  expect(sqliteSource.claims(subject)).toBe(true);
  const resource = await sqliteSource.open(subject, callOf());
  if (resource.kind !== 'text') throw new Error('no text');
  const target = Buffer.alloc(resource.bytes.size ?? 0);
  await resource.bytes.readInto(target, 0);
  expect(target.toString()).toBe(`id: ${rows}\na: <BLOB 4000 bytes>\n`);
});

test('the second query of the same database copies nothing', async () => {
  const content = await databaseBytes('create table t(id integer primary key); insert into t values (1)');
  const source = memoryBytes(content, Identity.of('member', { name: 't.db' }));
  let reads = 0;
  const bytes: ByteSource = {
    ...source,
    readInto: (...given) => ((reads += 1), source.readInto(...given)),
  };
  const call = callOf();
  const opened: OpenedFile = {
    kind: 'file',
    path: '/archive.zip',
    size: content.length,
    mtimeMs: 0,
    bytes,
    close: () => Promise.resolve(),
  };
  const first = await copyOf(opened, call);
  expect(reads).toBe(1);
  expect(await copyOf(opened, call)).toBe(first);
  expect(reads).toBe(1);
});
