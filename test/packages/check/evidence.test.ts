/** What a report says about a broken case, so that it can be mended: the call, a part of the answer, and changed files. */

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { audit, type AuditResult, formatAudit } from '../../../packages/check/src/audit.ts';
import { cases } from '../../../packages/check/src/cases.ts';
import '../../support/check.ts';

const { signal } = new AbortController();

const check = (id: string, file: string, ...modes: readonly string[]): Promise<AuditResult> =>
  audit(
    [process.execPath, resolve('test/support', file), ...modes],
    cases.filter((one) => one.id === id),
    { signal },
  );

const hostile = (id: string, mode: string): Promise<AuditResult> =>
  check(id, 'hostile-checked-server.mjs', mode);
const files = (id: string, fault: string): Promise<AuditResult> => check(id, 'file-server.mjs', fault);

test('a refusal naming a link target differs from leaked bytes', async () => {
  const found = await hostile('wall-link', 'refuses and tells names');
  const [{ reason = '', evidence } = {}] = found.findings;
  const [name = ''] = /of-[0-9a-f]{12}\.txt/.exec(reason) ?? [];
  expect(reason).toBe(`it was refused, but the error tells a name from outside the root: ${name}`);
  const answer = String.raw`…${'-'.repeat(95)}\x1b[2J ${name} is outside.`;
  expect(evidence).toEqual({ call: { tool: 'read', arguments: { path: 'link' } }, answer });
  expect(formatAudit(found)).toBe(
    [
      'read: read(path)',
      '',
      `BROKEN   walls  wall-link  a link to a file outside: ${reason}`,
      '         call: read {"path":"link"}',
      `         answer: ${answer}`,
      '',
      '0 held, 1 broken, 0 skipped',
      '',
    ].join('\n'),
  );
});

test('a case without an answer names its call', async () => {
  const { findings } = await files('nul', 'crashes');
  expect(findings[0]?.evidence).toEqual({
    call: { tool: 'read_file', arguments: { path: 'plain.txt\0.png' } },
  });
});

test('files that were changed are named', async () => {
  const { findings } = await files('missing', 'writes');
  expect(findings[0]?.evidence).toEqual({ changes: ['new: work/.journal'] });
});

test('leaked bytes are shown where they are: text or metadata', async () => {
  const [text, metadata] = await Promise.all([
    files('wall-link', 'leaks by links'),
    hostile('wall-parent', 'leaks in metadata'),
  ]);
  for (const { findings } of [text, metadata])
    expect(findings[0]?.evidence?.answer).toMatch(/^secret-[0-9a-f]{18}(?:\\n)?$/);
  expect(metadata.findings[0]?.evidence?.call).toEqual({
    tool: 'read',
    arguments: { path: expect.stringMatching(/^\.\.\/outside\/of-/) as string },
  });
});
