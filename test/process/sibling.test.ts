import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readAt } from '../../src/text/bytes.ts';
import { createAccess } from '../../src/files/local.ts';

test('a file beside a link is searched beside its target', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-sibling-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 'data'));
  writeFileSync(join(cwd, 'data/real.db'), 'database');
  writeFileSync(join(cwd, 'data/real.db-wal'), 'the log');
  symlinkSync('data/real.db', join(cwd, 'link.db'));
  const opened = await createAccess({ cwd, roots: [], allow: [] }).open(join(cwd, 'link.db'));
  if (opened.kind !== 'file') throw new Error('not a file');
  const wal = await opened.sibling?.('-wal');
  expect(Buffer.from(await readAt((wal as NonNullable<typeof wal>).bytes, 0, 100)).toString()).toBe(
    'the log',
  );
  await wal?.close();
  await opened.close();
});
