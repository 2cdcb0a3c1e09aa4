/** Damaged archives, notebooks and databases, read in this thread by the code that reads them in every call. */

import { gzipSync } from 'node:zlib';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { isOrielError } from '../../../src/errors.ts';
import { UnpackBudget } from '../../../src/formats/archive/limits.ts';
import { type ArchiveContainer, isOfTheBytes, readContents } from '../../../src/formats/archive/members.ts';
import { openContainer } from '../../../src/formats/archive/container.ts';
import { renderSections, readNotebook } from '../../../src/formats/notebook/cells.ts';
import { JsonError } from '../../../src/formats/data/json-scan.ts';
import { renderOutputs } from '../../../src/formats/notebook/render.ts';
import { tar } from '../../support/tar.ts';
import { zip } from '../../support/zip.ts';
import { notebookSeed } from '../notebook-seed.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import { parseNotebookText } from '../../support/notebook-text.ts';

const signal = new AbortController().signal;

const entries = [
  { name: 'a.txt', content: 'one\ntwo\n' },
  { name: 'd/b.txt', content: 'three '.repeat(40) },
  { name: `long/${'n'.repeat(120)}/c.txt`, content: 'c' },
];

/** Members that are opened of one archive, and bytes of each. */
const MOST = { members: 4, bytes: 1 << 20 };

async function readAll(container: ArchiveContainer): Promise<void> {
  const contents = await readContents(container, signal);
  must(contents.byPath.size <= contents.members.length, 'a path is that of a member');
  must(contents.sorted.length === contents.byPath.size, 'all paths are sorted');
  for (const [path, at] of contents.byPath) {
    must(contents.members[at] !== undefined, 'a path leads to a member');
    must(!path.startsWith('/') && !/(?:^|\/)\.\.(?:\/|$)/.test(path), 'no path leads outside');
    must(!/[\0-\x1f]/.test(path), 'a name has no controls');
  }
  for (const member of contents.members.slice(0, MOST.members)) {
    if (member.type !== 'file') continue;
    let bytes = 0;
    try {
      for await (const chunk of container.open(member, signal)) {
        bytes += chunk.length;
        if (bytes > MOST.bytes) break;
      }
    } catch (error) {
      if (!isOrielError(error)) throw error;
    }
  }
}

/** What is damaged is refused with a reason that says so. */
async function readOrRefused(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isOfTheBytes(error)) throw error;
    must(!/[\0-\x1f]/.test(error.message) && error.message.length < 5_000, 'a refusal is one bounded line');
  }
}

/** Without it a damaged header is no header: one time in two, all that stand where headers stand get a valid sum. */
function withSums(bytes: Buffer): Buffer {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    if (at > 0 && bytes.toString('latin1', at + 257, at + 262) !== 'ustar') continue;
    bytes.fill(0x20, at + 148, at + 156);
    let sum = 0;
    for (let i = at; i < at + 512; i += 1) sum += bytes[i] as number;
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1');
  }
  return bytes;
}

const numbers = ['00000000', 'ffffffff', 'ffff', '7fffffff', '01000000', '0800'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

export const containerTargets: readonly FuzzTarget[] = [
  {
    group: 'container',
    name: 'zip',
    seeds: [zip(entries), zip([{ name: 'x', content: '' }])],
    words: ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06', 'PK\x06\x06', 'PK\x06\x07', '../', '\0', ...numbers],
    most: 1_024,
    run(input) {
      return readOrRefused(() =>
        readAll(
          openContainer('zip', { bytes: memoryBytes(input), size: input.length, budget: new UnpackBudget() }),
        ),
      );
    },
  },
  {
    group: 'container',
    name: 'tar',
    seeds: [tar(entries), tar([{ name: 'x', content: 'y' }])],
    words: [
      'ustar',
      '../',
      '\0',
      '77777777777',
      '0000644\0',
      'x',
      'L',
      'K',
      'g',
      'S',
      '12 path=a\n',
      '30 size=9999999999\n',
      ...numbers,
    ],
    most: 4_096,
    run(input, random) {
      const bytes = random.below(2) === 0 ? withSums(input) : input;
      return readOrRefused(() =>
        readAll(
          openContainer('tar', { bytes: memoryBytes(bytes), size: bytes.length, budget: new UnpackBudget() }),
        ),
      );
    },
  },
  {
    group: 'container',
    name: 'tar.gz',
    seeds: [gzipSync(tar(entries))],
    words: ['\x1f\x8b\x08', '\0', ...numbers],
    most: 512,
    run(input) {
      const packed = { bytes: memoryBytes(input), size: input.length, budget: new UnpackBudget() };
      return readOrRefused(() => readAll(openContainer({ tarIn: 'gzip' }, packed)));
    },
  },
  {
    group: 'container',
    name: 'notebook',
    seeds: [
      JSON.stringify(notebookSeed),
      JSON.stringify({ worksheets: [{ cells: notebookSeed.cells }], nbformat: 3 }),
    ],
    words: [
      ...'{ } [ ] " , : \\ \\u d83d null true 1e9 -1 "cells" "source" "outputs" "cell_type" "text" "data" "image/png"'.split(
        ' ',
      ),
      '# %% [code] cell:1\n',
      '\n',
    ],
    most: 768,
    async run(input) {
      const source = memoryBytes(input);
      let notebook;
      try {
        notebook = await readNotebook(source, signal);
      } catch (error) {
        if (!(error instanceof JsonError) && !isOfTheBytes(error)) throw error;
        return;
      }
      must(notebook.cells.length + notebook.bad.length === notebook.count, 'each cell is good or bad');
      const sections = notebook.cells.map(({ type, index, source: text }) => ({ type, index, text }));
      const { bytes } = await renderSections(sections);
      const parsed = parseNotebookText(bytes.toString()) ?? [];
      must(parsed.length === sections.length, 'as many cells are read back');
      for (const [i, { type, source: text }] of parsed.entries())
        must(type === sections[i]?.type && text === sections[i]?.text.toWellFormed(), 'cells are read back');
      await renderOutputs(notebook, source, 'a.ipynb', signal);
    },
  },
];
