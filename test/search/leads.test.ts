import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { createOriel, type Oriel } from '../../src/index.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { Tree } from '../support/tree.ts';
import { textOf } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

vi.setConfig({ testTimeout: 120_000 });

let work: Tree;
let oriel: Oriel;

beforeEach(async () => {
  work = await Tree.create();
  oriel = createOriel({ cwd: work.path });
});

afterEach(async () => {
  await oriel.close();
  await work.remove();
});

const grep = async (input: object): Promise<string> => textOf(await oriel.tool('grep').run(input));

/** Symbols that are late are left out, and known the next time: on a busy machine a thread that parses starts slowly. */
async function led(input: object, expected: string): Promise<void> {
  let text = await grep(input);
  for (const end = Date.now() + 100_000; text !== expected && Date.now() < end; text = await grep(input)) {
    await sleep(50);
  }
  expect(text).toBe(expected);
}

const session = `import x from 'x';

export class Session {
  #open = true;

  close(): void {
    this.#open = false;
    release(this);
  }

  reopen(): void {
    this.#open = true;
    const again = () => {
      release(this);
    };
    release(again);
  }
}

release(undefined);
`;

describe('the symbol around a match', () => {
  test('is shown once above its matches, with its lines', { tags: 'slow' }, async () => {
    await work.write({ 'src/session.ts': session });
    await led(
      { pattern: 'release' },
      `in Session.close [L6-9]
src/session.ts:8:     release(this);
in Session.reopen.again [L13-15]
src/session.ts:14:       release(this);
in Session.reopen [L11-17]
src/session.ts:16:     release(again);
src/session.ts:20: release(undefined);`,
    );
  });

  test('comes from the code index only for the indexed bytes', { tags: 'slow' }, async () => {
    await work.write({ 'src/session.ts': session });
    const map = (): Promise<unknown> => oriel.tool('read').run({ path: '.:outline' });
    await map();
    // What was written just before the first one is parsed again.
    await map();
    const slots = await Promise.all([queues.outlines.acquire(), queues.outlines.acquire()]);
    try {
      const alone = 'src/session.ts:16:     release(again);';
      await led({ pattern: 'release.again' }, `in Session.reopen [L11-17]\n${alone}`);
      await work.write({ 'src/session.ts': `\n${session}` });
      expect(await grep({ pattern: 'release.again' })).toBe(alone.replace('16', '17'));
    } finally {
      for (const slot of slots) slot.release();
    }
  });

  test('is above the first of its lines that is shown', { tags: 'slow' }, async () => {
    await work.write({ 'src/session.ts': session });
    await led(
      { pattern: 'release|reopen', context: 1, path: 'src/session.ts' },
      `in Session.close [L6-9]
src/session.ts-7-     this.#open = false;
src/session.ts:8:     release(this);
src/session.ts-9-   }
src/session.ts-10- 
in Session.reopen [L11-17]
src/session.ts:11:   reopen(): void {
src/session.ts-12-     this.#open = true;
in Session.reopen.again [L13-15]
src/session.ts-13-     const again = () => {
src/session.ts:14:       release(this);
in Session.reopen [L11-17]
src/session.ts-15-     };
src/session.ts:16:     release(again);
src/session.ts-17-   }
--
src/session.ts-19- 
src/session.ts:20: release(undefined);`,
    );
  });

  test('is shown again on the next page', async () => {
    await work.write({ 'a.ts': session });
    const notice = 'limit reached. Use offset=';
    await led(
      { pattern: 'release', limit: 1, offset: 1 },
      `in Session.reopen.again [L13-15]\na.ts:14:       release(this);\n[1 match ${notice}2 to continue, limit=2 for more, or refine pattern]`,
    );
    await led(
      { pattern: 'release', limit: 1, offset: 2 },
      `in Session.reopen [L11-17]\na.ts:16:     release(again);\n[1 match ${notice}3 to continue, limit=2 for more, or refine pattern]`,
    );
  });

  test('uses the byte budget, and the next call continues', async () => {
    await work.write({ 'a.ts': session });
    await oriel.close();
    oriel = createOriel({ cwd: work.path, limits: { bytes: 64 } });
    await led(
      { pattern: 'release' },
      'in Session.close [L6-9]\na.ts:8:     release(this);\n[64 B limit reached (1 of 4 matches shown). Use offset=1 to continue]',
    );
  });

  test('of members of archives', async () => {
    await work.write({ 'a.zip': zip([{ name: 'src/session.ts', content: session }]) });
    await led(
      { pattern: 'again\\)', path: 'a.zip' },
      'in Session.reopen [L11-17]\na.zip:src/session.ts:16:     release(again);',
    );
  });

  test('of the first eight small files of code, not prose', { tags: 'slow' }, async () => {
    const code = 'function f() {\n  needle();\n}\n';
    const names = Array.from({ length: 10 }, (_, i) => `f${i}.ts`);
    await work.write({
      ...Object.fromEntries(names.map((name) => [name, code])),
      'a.md': '# needle\n\nneedle\n',
      'b.ts': code + '// '.padEnd(70_000, 'x') + '\n',
    });
    const lines = names.flatMap((name, i) => [...(i < 8 ? ['in f [L1-3]'] : []), `${name}:2:   needle();`]);
    const expected = ['a.md:1: # needle', 'a.md:3: needle', 'b.ts:2:   needle();', ...lines];
    await led({ pattern: 'needle' }, expected.join('\n'));
  });

  test('is not shown by other dialects', async () => {
    await work.write({ 'a.ts': session });
    expect(await work.text('grep', { pattern: 'undefined' }, { dialect: 'pi' })).toBe(
      'a.ts:20: release(undefined);',
    );
  });
});

describe('with line anchors', () => {
  beforeEach(async () => {
    await oriel.close();
    oriel = createOriel({ cwd: work.path, display: 'hashline' });
  });

  test('the tag of a read is above lines with anchors', async () => {
    await work.write({ 'a.txt': 'one\nneedle\nthree\nfour\nneedle', 'b c.txt': 'needle\n' });
    const read = textOf(await oriel.tool('read').run({ path: 'a.txt' }));
    const [header = ''] = read.split('\n');
    expect(header).toMatch(/^¶a\.txt#[0-9A-F]{4}$/);
    expect(await grep({ pattern: 'needle', glob: 'a.txt' })).toBe(`${header}\n2:needle\n5:needle`);
    expect(await grep({ pattern: 'needle', path: 'a.txt', before: 1 })).toBe(
      `${header}\n1-one\n2:needle\n--\n4-four\n5:needle`,
    );
    expect(await grep({ pattern: 'needle', path: 'b c.txt' })).toMatch(/^¶b c\.txt#[0-9A-F]{4}\n1:needle$/);
  });

  test('the header of oh-my-pi, with the tag that its edit tool computes', async () => {
    await oriel.close();
    oriel = createOriel({ cwd: work.path, display: 'hashline@18' });
    await work.write({ 'a.txt': 'a  \nb', 'c.txt': Buffer.from('\ufeffb\n', 'utf16le') });
    expect(await grep({ pattern: 'b' })).toBe('[a.txt#6540]\n2:b\nc.txt:1: b');
  });

  test('of encoded files, not of members, outputs or large files', { tags: 'slow' }, async () => {
    await work.write({
      'utf16.txt': Buffer.from('\ufeffone\nneedle\n', 'utf16le'),
      'big.txt': `${'x'.repeat(1 << 20)}\nneedle\n`,
      'a.zip': zip([{ name: 'x.txt', content: 'needle\n' }]),
    });
    const [header = ''] = textOf(await oriel.tool('read').run({ path: 'utf16.txt' })).split('\n');
    expect(await grep({ pattern: 'needle', glob: '*.txt' })).toBe(`big.txt:2: needle\n${header}\n2:needle`);
    expect(await grep({ pattern: 'needle', path: 'a.zip' })).toBe('a.zip:x.txt:1: needle');
    await oriel.tool('bash').run({ command: 'seq 1 100000' });
    expect(await grep({ pattern: '^4242$', path: 'artifact://1' })).toBe('artifact://1:4242: 4242');
  });

  test('a changed file has another tag, with symbols below', async () => {
    await work.write({ 'a.ts': session });
    const headerOf = async (): Promise<string> =>
      textOf(await oriel.tool('read').run({ path: 'a.ts:1..1' })).split('\n')[0] ?? '';
    const first = await headerOf();
    await led({ pattern: 'again\\)' }, `${first}\nin Session.reopen [L11-17]\n16:    release(again);`);
    await writeFile(join(work.path, 'a.ts'), `// new\n${session}`);
    const second = await headerOf();
    expect(second).not.toBe(first);
    await led({ pattern: 'again\\)' }, `${second}\nin Session.reopen [L12-18]\n17:    release(again);`);
  });

  test('the shown lines are remembered as after a read', async () => {
    await work.write({ 'a.txt': 'one\nneedle\r\nthree\n' });
    const text = await grep({ pattern: 'needle' });
    const tag = /#(\w+)/.exec(text)?.[1] ?? '';
    const shown = await oriel.session.snapshots.lines(join(work.path, 'a.txt'), tag, 1, 2);
    expect([...shown]).toEqual([[2, 'needle\r\n']]);
  });
});
