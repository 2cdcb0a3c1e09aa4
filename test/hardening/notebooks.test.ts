/**
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import type { Answer } from '../../src/index.ts';
import { withoutLag } from '../support/lag.ts';
import { makePng } from '../support/images.ts';
import { codeOf, nextOf, textOf, workspace, type Workspace } from '../support/workspace.ts';

const code = (source: unknown, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs });
const notebook = (...cells: unknown[]) =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

/** The lines of an answer without their numbers and the notices below them, as one text. */
function lines(answer: Answer): string {
  const notices = (answer.details['notices'] as { text: string }[] | undefined) ?? [];
  const said = notices.map(({ text }) => `[${text}]`).join('\n');
  const text = textOf(answer);
  return text.slice(0, text.length - said.length).replaceAll(/^\d+\|/gm, '');
}

/** The answers from the first to the last, each reached by the notice of the one before. */
async function follow({ read }: Workspace, path: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next !== undefined && pages.length < 200;) {
    const answer = await read(next);
    pages.push(answer);
    next = nextOf(answer);
  }
  return pages;
}

test('N01 other damage: brackets, empty files, other encodings, deep nesting', async () => {
  const { write, read } = workspace();
  const damaged: Record<string, string | Buffer> = {
    'brackets.ipynb': '{"cells": [}',
    'empty.ipynb': '',
    'utf16.ipynb': Buffer.from(`\ufeff${notebook(code('a'))}`, 'utf16le'),
    'deep.ipynb': `{"cells": [], "metadata": ${'['.repeat(500_000)}`,
    'nul.ipynb': Buffer.alloc(1000),
    'tail.ipynb': `${notebook(code('a'))}garbage`,
  };
  for (const [name, content] of Object.entries(damaged)) {
    write(name, content);
    const answer = await read(name);
    expect([name, codeOf(answer)]).toEqual([name, 'CORRUPT']);
    expect(answer.details['error']).toMatchObject({
      message: expect.stringMatching(/ at byte \d+\. Use .*:raw for its text\.$/) as string,
      next: `${name}:raw`,
    });
  }
});

test('N03 wrong types everywhere; no cells key', async () => {
  const { write, text } = workspace();
  write(
    'nb-types.ipynb',
    notebook(code(['a = ', '1']), 7, { cell_type: 'code', source: { x: 1 } }, code('b')),
  );
  expect(await text('nb-types.ipynb')).toBe(
    '1|# %% [code] cell:0\n2|a = 1\n3|# %% [code] cell:3\n4|b\n' +
      '[2 of 4 cells left out as damaged: cell 1 (it is not an object), cell 2 (its source is missing or not text). ' +
      'Use nb-types.ipynb:raw for the JSON]',
  );
  write('nb-nocells.ipynb', '{"nbformat": 4, "metadata": {}}');
  expect(await text('nb-nocells.ipynb')).toBe(
    '[No cells to show: it has no list of cells. Use nb-nocells.ipynb:raw for the JSON]',
  );
});

test('N06 line/cell selectors beyond end', async () => {
  const { write, read } = workspace();
  write('nb-nocells.ipynb', '{"nbformat": 4, "metadata": {}}');
  write('nb.ipynb', notebook(code('a')));
  expect((await read('nb-nocells.ipynb:cells:99')).details['error']).toEqual({
    code: 'OUT_OF_RANGE',
    message: 'Cell 99 does not exist: nb-nocells.ipynb has no cells. Use nb-nocells.ipynb:raw.',
    next: 'nb-nocells.ipynb:raw',
  });
  expect((await read('nb.ipynb:cells:99')).details['error']).toEqual({
    code: 'OUT_OF_RANGE',
    message: 'Cell 99 does not exist: nb.ipynb has one cell, 0. Use nb.ipynb:cells:0.',
    next: 'nb.ipynb:cells:0',
  });
  const beyond = await read('nb.ipynb:900-950');
  expect(codeOf(beyond)).toBe('OUT_OF_RANGE');
  expect(textOf(beyond)).toBe(
    '[Line 900 is beyond the end of nb.ipynb (2 lines). Use nb.ipynb:2 for the end or nb.ipynb:1 for the start]',
  );
});

test('a bounded part of a 20 MB output is processed', async () => {
  const { write, read } = workspace();
  const text = `${'0123456789'.repeat(6)}\n`.repeat(330_000);
  write('big.ipynb', notebook(code('loop()', [{ output_type: 'stream', text }]), code('after')));
  const answer = await read('big.ipynb:outputs');
  expect(textOf(answer).length).toBeLessThan(10_000);
  expect(lines(answer).split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^\[Outputs of this cell cut\. Use big\.ipynb:@\d+\+256K:raw for their JSON\]$/),
    '# %% [code] cell:1',
    'after',
  ]);
  const [, next = ''] = /Use (\S+) for their JSON/.exec(textOf(answer)) ?? [];
  const stored = await read(next);
  expect(textOf(stored)).toMatch(/^\[\{"output_type":"stream","text":"0123456789/);
});

test('control characters in sources and outputs are shown as escapes', async () => {
  const { write, text } = workspace();
  write(
    'nb.ipynb',
    notebook(code('a\u001b[2J\u202eb', [{ output_type: 'stream', text: '\u001b[31mred\u001b[0m\u0001' }])),
  );
  expect(await text('nb.ipynb:outputs')).toBe(
    '1|# %% [code] cell:0\n2|a\\x1b[2J\\u202eb\n3|# %% [output] cell:0\n4|red\\x01\n' +
      '[3 control or invisible characters shown as escapes; nb.ipynb:raw has them as stored]',
  );
});

test('pages of outputs show the images of their own lines', async () => {
  const space = workspace();
  const png = makePng(40, 30).toString('base64');
  const plot = { output_type: 'display_data', data: { 'image/png': png } };
  const words = Array.from({ length: 110 }, (_, line) => `line ${line} ${'x'.repeat(60)}\n`);
  const cells = Array.from({ length: 8 }, () =>
    code('plot()', [{ output_type: 'stream', text: words }, plot]),
  );
  space.write('plots.ipynb', notebook(...cells));
  const pages = await follow(space, 'plots.ipynb:outputs');
  expect(pages.length).toBeGreaterThan(1);
  const shown = pages.map((page) => page.content.filter(({ type }) => type === 'image').length);
  const placed = pages.map((page) => lines(page).match(/^\[image \d+: /gm)?.length ?? 0);
  expect(shown).toEqual(placed);
  expect(shown.reduce((sum, count) => sum + count, 0)).toBe(8);
});

test('N08 notebooks with many or long cells block no events', async () => {
  const { write, read } = workspace();
  const many = (outputs: unknown[]): string =>
    notebook(...Array.from({ length: 30_000 }, (_, i) => code(`x${i} = 1\n`, outputs)));
  const notebooks = {
    'many.ipynb': many([]),
    'lines.ipynb': notebook(code('y = 1\n'.repeat(500_000)), code('last')),
    'list.ipynb': notebook(code(Array.from({ length: 1_000_000 }, () => 'a')), code('last')),
    'outputs.ipynb': many([{ output_type: 'stream', name: 'stdout', text: 'x' }]),
  };
  for (const [name, content] of Object.entries(notebooks)) {
    const bytes = Buffer.from(content);
    for (const path of [name, `${name}:-3`, `${name}:cells:1`, `${name}:outputs`]) {
      // Only the outputs of so many cells take long to find.
      if (path === 'outputs.ipynb:outputs') continue;
      const answer = await withoutLag(() => {
        // Another version: nothing of it is kept.
        write(name, bytes);
        return read(path);
      });
      expect([path, answer.isError]).toEqual([path, false]);
    }
  }
  expect(lines(await read('lines.ipynb:cells:1'))).toBe('# %% [code] cell:1\nlast');
  expect(lines(await read('list.ipynb:-2'))).toBe('# %% [code] cell:1\nlast');
});
