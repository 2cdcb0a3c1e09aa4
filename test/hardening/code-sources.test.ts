/**
 * Sources below a directory that are made to hurt a parser, and indexes that several make at once.
 *
 * @module-tag slow
 */

import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { languageOf } from '../../src/code/languages.ts';
import { tagsOf } from '../../src/code/parsed.ts';
import { textOf, workspace } from '../support/workspace.ts';

const good = (name: string): string => `// a comment\nexport function ${name}() {\n  return 1;\n}\n`;

test('deep, long or binary files spare the symbols of others', async () => {
  const w = workspace();
  w.write('src/good.ts', good('found'));
  w.write('src/nested.ts', `export const a = ${'('.repeat(60_000)}1${')'.repeat(60_000)};\n`);
  w.write('src/blocks.ts', `${'{\n'.repeat(20_000)}${'}\n'.repeat(20_000)}`);
  w.write('src/line.js', `const a = [${'1, '.repeat(200_000)}];`);
  w.write('src/huge.js', `const a = "${'x'.repeat(2 << 20)}";\n`);
  writeFileSync(
    join(w.W, 'src/invalid.py'),
    Buffer.from([0x64, 0x65, 0x66, 0x20, 0xff, 0xfe, 0x28, 0x29, 0x3a, 0x0a]),
  );
  writeFileSync(join(w.W, 'src/binary.go'), Buffer.alloc(4096));
  const text = await w.text('src:outline');
  expect(text).toContain('good.ts: found 2-4\n');
  expect(text).toMatch(/\[The symbols of \d code files are not known: /);
  expect(Buffer.byteLength(text)).toBeLessThan(10 << 10);
  expect(await w.text('src:#found')).toBe(
    '2|export function found() {\n3|  return 1;\n4|}\n[Declared in src/good.ts:2..4]',
  );
});

test('a file too large for shared threads is parsed alone', async () => {
  const needy = `${'let a;\n'.repeat(60_000)}${'//\n'.repeat(200_000)}`;
  const language = languageOf('needy.ts', '');
  if (!language) throw new Error('no language');
  const files = [{ bytes: Buffer.from(needy), language }];
  const { signal } = new AbortController();
  const until = performance.now() + 120_000;
  expect(await tagsOf(files, until, signal)).toEqual({ none: 'crash' });
  expect(await tagsOf(files, until, signal, { alone: true })).toMatchObject({ late: [] });
  const w = workspace();
  w.write('src/needy.ts', needy);
  for (let i = 0; i < 20; i += 1) w.write(`src/good${i}.ts`, good(`found${i}`));
  const long = w.with({ timeoutMs: 120_000 }).tool('read');
  const text = textOf(await long.run({ path: 'src:outline?bytes=16K' }));
  for (let i = 0; i < 20; i += 1) expect(text).toContain(`good${i}.ts: found${i} 2-4\n`);
  expect(text).toContain('[Of 1 code file only the first symbols and names are known]');
  expect(textOf(await long.run({ path: 'src:outline?bytes=16K' }))).toBe(text);
});

test('any number of concurrent questions about different directories are answered', async () => {
  const w = workspace();
  const names = Array.from({ length: 24 }, (_, i) => `d${i}`);
  for (const name of names) for (let i = 0; i < 3; i += 1) w.write(`${name}/f${i}.ts`, good(`${name}x${i}`));
  const texts = await Promise.all(names.map((name) => w.text(`${name}:outline`)));
  texts.forEach((text, i) => expect(text).toContain(`d${i}x2 2-4`));
});

test.skipIf(process.platform === 'win32')(
  'links inside a directory are not followed or found twice',
  async () => {
    const w = workspace();
    w.write('src/lib/good.ts', good('found'));
    w.write('src/use.ts', "import { found } from './lib/good.ts';\nfound();\n");
    symlinkSync('..', join(w.W, 'src/lib/up'));
    symlinkSync('lib', join(w.W, 'src/other'));
    symlinkSync('lib/good.ts', join(w.W, 'src/same.ts'));
    symlinkSync('self.ts', join(w.W, 'src/self.ts'));
    symlinkSync('nowhere.ts', join(w.W, 'src/dangling.ts'));
    const text = await w.text('src:outline');
    expect(text).toContain('lib/good.ts: found 2-4\n');
    expect(text.match(/\bfound 2-4/g)).toHaveLength(1);
    expect(await w.text('src:#found')).toContain('[Declared in src/lib/good.ts:2..4]');
    expect(await w.text('src:#found:refs')).toBe(
      [
        'src/use.ts',
        "  1|import { found } from './lib/good.ts';",
        '  2|found();',
        "[2 uses of 'found': 2 by imports and scope, 0 by name alone. Declared: src/lib/good.ts:#found]",
      ].join('\n'),
    );
  },
);

test.skipIf(process.getuid?.() === 0)('an unreadable directory is reported', async () => {
  const w = workspace();
  w.write('src/good.ts', good('found'));
  w.write('src/closed/a.ts', good('hidden'));
  chmodSync(join(w.W, 'src/closed'), 0);
  const text = await w.text('src:outline');
  chmodSync(join(w.W, 'src/closed'), 0o755);
  expect(text).toContain('Some directories could not be read');
});

test('files parsed before a cancellation are not parsed again', async () => {
  const w = workspace();
  for (let i = 0; i < 200; i += 1) w.write(`src/f${i}.ts`, good(`name${i}`));
  const cancel = new AbortController();
  const cancelled = w.oriel.tool('read').run(
    { path: 'src:#name7' },
    {
      signal: cancel.signal,
      onProgress: ({ message = '' }) => message.startsWith('parsed') && cancel.abort(),
    },
  );
  await cancelled.catch(() => undefined);
  const parsed: string[] = [];
  const next = await w.oriel
    .tool('read')
    .run(
      { path: 'src:#name9' },
      { onProgress: ({ message = '' }) => void (message.startsWith('parsed') && parsed.push(message)) },
    );
  expect(textOf(next)).toContain('[Declared in src/f9.ts');
  expect(cancel.signal.aborted).toBe(true);
  expect(parsed.at(-1) ?? 'of 0').not.toContain('of 200 files');
});
