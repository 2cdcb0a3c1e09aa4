/**
 * What a search could not read is said wherever its answer ends: not only where everything was looked through.
 *
 * @module-tag slow
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { builtUrl } from '../support/built.ts';
import { workspace } from '../support/workspace.ts';

const FAILED = 'Some files or directories could not be read (input/output error)';

interface Shown {
  readonly details: { readonly error?: { readonly code: string } };
  readonly content: readonly { readonly text: string }[];
  readonly isError: boolean;
}

type Call = readonly [tool: string, input: object];

/** The name of a file that cannot be opened, with which code, and how often, if not always. */
type Fault = readonly [name: string, code: string, times?: number];

const DAMAGED: Fault = ['damaged', 'EIO'];

/** Calls in one process, each in a session of its own, and what cannot be opened during it. */
async function answered(cwd: string, calls: readonly (readonly [Call, Fault?])[]): Promise<Shown[]> {
  const script = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const answers = [];
    for (const [at, [tool, input]] of ${JSON.stringify(calls.map(([call]) => call))}.entries()) {
      const oriel = createOriel({ cwd: process.cwd(), cache: false });
      faults.pick(at + 1);
      answers.push(await oriel.tool(tool).run(input));
      faults.pick(0);
      await oriel.close();
    }
    process.stdout.write(JSON.stringify(answers));
  `;
  const preload = new URL('../support/faults-preload.mjs', import.meta.url).href;
  const args = ['--import', preload, '--input-type=module', '-e', script];
  const env = { ...process.env, FAULTS: JSON.stringify(calls.map(([, fault = []]) => fault)) };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  return JSON.parse(stdout) as Shown[];
}

/** The texts of answers in a directory of which something cannot be read. */
async function texts(cwd: string, calls: readonly Call[]): Promise<string[]> {
  const answers = await answered(
    cwd,
    calls.map((call) => [call, DAMAGED]),
  );
  return answers.map(({ content, isError }) => {
    expect(isError).toBe(false);
    return content[0]?.text ?? '';
  });
}

const large = `${'x'.repeat(99)}\n`.repeat(50_000);

/** A needle in each of three directories, and before the second, before the third or behind all of them what fails. */
function furnished(): string {
  const { W, write } = workspace();
  for (const at of ['first', 'middle', 'last']) {
    for (const name of ['a', 'b', 'c']) write(`${at}/${name}/x.txt`, 'a needle\nno\n');
    write(`${at}/${{ first: 'a/a', middle: 'b/y', last: 'c/z' }[at]}/damaged`, 'a needle\n');
  }
  for (const name of ['a', 'b', 'c']) write(`large/${name}/x.txt`, `${large}a needle\n`);
  write('large/b/damaged', 'a needle\n');
  write('large/c/damaged', 'a needle\n');
  for (const name of ['a', 'c']) write(`directory/${name}/x.txt`, 'a needle\n');
  write('directory/b/damaged/x.txt', 'a needle\n');
  return W;
}

describe.skipIf(process.platform !== 'linux')('F02 files that cannot be read', () => {
  const searches: [string, object][] = [
    ['lines', { pattern: 'a needle' }],
    ['an expression', { pattern: 'a n[e]+dle' }],
    ['several lines', { pattern: 'needle\\n', multiline: true }],
    ['files', { pattern: 'a needle', output: 'files' }],
  ];

  test.each(searches)('%s', async (_, input) => {
    const asked: [path: string, limit: number, isSaid: boolean][] = [
      ['first', 1, true],
      ['middle', 1, false],
      ['middle', 2, true],
      ['last', 2, false],
      ['last', 9, true],
      ['directory', 1, true],
    ];
    const said = await texts(
      furnished(),
      asked.map(([path, limit]) => ['grep', { ...input, path, limit }]),
    );
    expect(said.map((text) => text.includes(FAILED))).toEqual(asked.map(([, , isSaid]) => isSaid));
  });

  test('large files and find name them, too', async () => {
    const [one, two, all, some] = await texts(furnished(), [
      ['grep', { pattern: 'a needle', path: 'large', limit: 1 }],
      ['grep', { pattern: 'a needle', path: 'large', limit: 2 }],
      ['find', { pattern: '*.txt', path: 'directory', limit: 9 }],
      ['find', { pattern: '*.txt', path: 'directory', limit: 1 }],
    ]);
    for (const text of [one, two, some]) expect(text).toContain(FAILED);
    expect(all).toBe(`directory/a/x.txt\ndirectory/c/x.txt\n[${FAILED}]`);
  });
});

describe.skipIf(process.platform !== 'linux')('F03 ignore files that cannot be read', () => {
  const NOT_USED = '1 ignore file not used: unreadable, larger than 1 MiB, or not a regular file]';

  /** A repository of which `d/e` is searched: three files in it are ignored, each by rules of another place. */
  function ruled(): string {
    const { W, write } = workspace();
    for (const name of ['above', 'excluded', 'here', 'shown']) write(`d/e/${name}.txt`, 'a needle\n');
    write('.git/info/exclude', 'excluded.txt\n');
    write('d/.gitignore', 'above.txt\n');
    write('d/e/.ignore', 'here.txt\n');
    return W;
  }

  /** The last is opened for its rules alone. */
  const places = ['.git', 'info', 'exclude', '.gitignore', '.ignore', 'd'];

  test.each([
    ['find', { pattern: '*.txt', path: 'd/e' }],
    ['grep', { pattern: 'needle', path: 'd/e' }],
  ] as const)('%s: unreadable once, for lack of descriptors, always', async (...call) => {
    const cases = (code: string, times?: number) =>
      places.map((name): [Call, Fault] => [call, times === undefined ? [name, code] : [name, code, times]]);
    const [whole, ...answers] = await answered(ruled(), [
      [call],
      ...cases('EMFILE', 3),
      ...cases('EMFILE'),
      ...cases('EIO'),
    ]);
    expect(whole?.content[0]?.text).not.toMatch(/above|excluded|here/);
    for (const [i, place] of places.entries()) {
      const [shortly, without, unread] = [0, 1, 2].map((kind) => answers[kind * places.length + i]);
      expect({ place, ...shortly }).toEqual({ place, ...whole });
      expect([place, without?.details.error?.code]).toEqual([place, 'BUSY']);
      expect([place, unread?.content[0]?.text]).toEqual([place, expect.stringContaining(NOT_USED)]);
    }
  });
});
