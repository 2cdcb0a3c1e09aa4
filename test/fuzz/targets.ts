/** What is fuzzed: each target takes any bytes or text and fails where an answer is wrong, unbounded or unexplained. */

import { expect } from 'vitest';
import { parseSelection } from '../../src/selector/selection.ts';
import { windowedText } from '../../src/window.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { tar } from '../support/tar.ts';
import { notebookSeed } from './notebook-seed.ts';
import { codeOf, SECRET, textOf, type Workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** A selector is parsed, or it is none: nothing else happens. */
export function trySelector(text: string): void {
  const parsed = (() => {
    try {
      return parseSelection(text);
    } catch (error) {
      // What looks like a selector and is wrong is explained.
      expect((error as { code?: string }).code).toBe('BAD_SELECTOR');
      expect((error as Error).message).not.toContain('\n');
      return undefined;
    }
  })();
  if (parsed !== undefined) expect(typeof parsed).toBe('object');
}

/** Lines `from` to `to` (1-based, inclusive) of any text are those that splitting at line feeds gives. */
export async function tryWindow(text: string, from: number, to: number): Promise<void> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const wanted = lines.slice(from - 1, to);
  if (wanted.length === 0) return;
  const excerpt = await windowedText(text).read(
    { kind: 'lines', ranges: [{ from, to }], context: false },
    { limits: { lines: 1e6, bytes: 1 << 24, line: 1 << 24 } },
  );
  const shown = excerpt.parts.flat().map((line) => line.text.replace(/\r?\n?$/, ''));
  expect(shown).toEqual(wanted.map((line) => line.replace(/\r$/, '')));
}

/** Valid files of each kind, to be damaged. `more` are the paths behind the file that are read as well. */
export async function containerSeeds(): Promise<
  Readonly<Record<string, { readonly bytes: Uint8Array; readonly more: readonly string[] }>>
> {
  const texts = { 'a.txt': 'one\ntwo\n', 'd/b.txt': 'three\n' };
  const entries = Object.entries(texts).map(([name, content]) => ({ name, content }));
  return {
    'f.zip': { bytes: zip(entries), more: [':a.txt', ':d/b.txt'] },
    'f.tar': { bytes: tar(entries), more: [':a.txt', ':d/b.txt'] },
    'f.ipynb': { bytes: Buffer.from(JSON.stringify(notebookSeed)), more: [':1', ':raw'] },
    'f.db': {
      bytes: await databaseBytes(
        'create table t(a, b)',
        "insert into t values(1, 'x'), (2, 'y')",
        'create index i on t(a)',
        'create view v as select a from t',
      ),
      more: [':t', ':t:1', ':t?order=b&limit=3', '?q=pragma integrity_check'],
    },
    'f.txt': { bytes: Buffer.from('one\r\n\u00e9\u{1f600}\ntwo', 'utf8'), more: [':raw', ':-1', ':@1+4'] },
    'utf16.txt': { bytes: Buffer.from('\ufeffone\ntwo\n', 'utf16le'), more: [':2', ':@2+4'] },
  };
}

/** Whatever the bytes are, every answer is bounded, well-formed and explained. */
export async function tryContainer(
  { read, write }: Workspace,
  name: string,
  bytes: Uint8Array,
  more: readonly string[],
): Promise<void> {
  write(name, bytes);
  for (const path of ['', ...more].map((rest) => name + rest)) {
    const answer = await read(path);
    const text = textOf(answer);
    expect(codeOf(answer), path).not.toBe('INTERNAL');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain(SECRET);
    if (path.endsWith(':raw')) continue;
    expect(text).not.toMatch(/(?!\r\n)[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  }
}
