/**
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import type { Answer } from '../../src/index.ts';
import { withoutLag } from '../support/lag.ts';
import { textOf, workspace } from '../support/workspace.ts';

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
