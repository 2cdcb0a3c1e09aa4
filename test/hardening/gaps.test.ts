/**
 * What a search could not read is said wherever its answer ends: not only where everything was looked through.
 *
 * @module-tag slow
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { workspace } from '../support/workspace.ts';

const FAILED = 'Some files or directories could not be read (input/output error)';

interface Shown {
  readonly details: { readonly error?: { readonly code: string } };
  readonly content: readonly { readonly text: string }[];
  readonly isError: boolean;
}

/** A call in a process in which nothing called `damaged` can be opened, or as `faults` says. */
async function answered(
  cwd: string,
  tool: string,
  input: object,
  faults: Readonly<Record<string, string>> = { FAULT_NAME: 'damaged' },
): Promise<Shown> {
  const preload = new URL('../support/faults-preload.mjs', import.meta.url).href;
  const args = [
    '--import',
    preload,
    built('faces/cli/main.js'),
    'call',
    tool,
    JSON.stringify(input),
    '--json',
  ];
  const env = { ...process.env, ...faults };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env }).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(stdout) as Shown;
}

async function called(cwd: string, tool: string, input: object): Promise<string> {
  const { content, isError } = await answered(cwd, tool, input);
  expect(isError).toBe(false);
  return content[0]?.text ?? '';
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

  test.each(searches)('%s', { timeout: 240_000 }, async (_, input) => {
    const W = furnished();
    const said = async (path: string, limit: number): Promise<boolean> =>
      (await called(W, 'grep', { ...input, path, limit })).includes(FAILED);
    expect(await said('first', 1)).toBe(true);
    expect(await said('middle', 1)).toBe(false);
    expect(await said('middle', 2)).toBe(true);
    expect(await said('last', 2)).toBe(false);
    expect(await said('last', 9)).toBe(true);
    expect(await said('directory', 1)).toBe(true);
  });

  test('with large files', async () => {
    const W = furnished();
    const said = async (limit: number): Promise<boolean> =>
      (await called(W, 'grep', { pattern: 'a needle', path: 'large', limit })).includes(FAILED);
    expect([await said(1), await said(2)]).toEqual([true, true]);
  });

  test('paths', async () => {
    const W = furnished();
    const found = (limit: number): Promise<string> =>
      called(W, 'find', { pattern: '*.txt', path: 'directory', limit });
    expect(await found(9)).toBe(`directory/a/x.txt\ndirectory/c/x.txt\n[${FAILED}]`);
    expect(await found(1)).toContain(FAILED);
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
  const places = ['.git', 'info', 'exclude', '.gitignore', '.ignore', 'd'].map((name) => ({
    FAULT_NAME: name,
  }));
  const searches = [
    ['find', { pattern: '*.txt', path: 'd/e' }],
    ['grep', { pattern: 'needle', path: 'd/e' }],
  ] as const;

  test.each(searches)('a short lack of descriptors does not change answers of %s', async (tool, input) => {
    const W = ruled();
    const whole = await answered(W, tool, input, {});
    expect(whole.content[0]?.text).not.toMatch(/above|excluded|here/);
    for (const place of places) {
      const faults = { ...place, FAULT_CODE: 'EMFILE', FAULT_TIMES: '3' };
      expect({ place, ...(await answered(W, tool, input, faults)) }).toEqual({ place, ...whole });
    }
  });

  test.each(searches)('%s is refused without descriptors for its ignore files', async (tool, input) => {
    const W = ruled();
    const codes = places.map(async (place) => {
      const { details } = await answered(W, tool, input, { ...place, FAULT_CODE: 'EMFILE' });
      return details.error?.code;
    });
    expect(await Promise.all(codes)).toEqual(places.map(() => 'BUSY'));
  });

  test.each(searches)('%s without its ignore files reports that', async (tool, input) => {
    const W = ruled();
    const texts = places.map(async (place) => (await answered(W, tool, input, place)).content[0]?.text);
    for (const text of await Promise.all(texts)) expect(text).toContain(NOT_USED);
  });
});
