import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { renderSections, type NotebookSection } from '../../../src/formats/notebook/cells.ts';
import { parseNotebookText } from '../../support/notebook-text.ts';

const line = fc.oneof(
  fc.string(),
  fc
    .tuple(
      fc.constantFrom('# %%', '# %%%', '# %%%%', '#%%', ' # %%'),
      fc.constantFrom(' [code]', ' [markdown]', ' [raw]', ' [output]', ' [other]', ''),
      fc.constantFrom('', ' cell:0', ' cell:12', ' cell:', ' '),
      fc.constantFrom('', '\r', ' ', 'x'),
    )
    .map((parts) => parts.join('')),
);
const source = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
const type = fc.constantFrom('code', 'markdown', 'raw');
const cells = fc.array(fc.record({ type, index: fc.nat(), source }));

/** As text, beside what else is known of it. */
async function rendered(sections: NotebookSection[]) {
  const { bytes, ...rest } = await renderSections(sections);
  return { text: Buffer.from(bytes).toString(), bytes, ...rest };
}

describe('the text form', () => {
  test('markers precede the cells, and sources are unchanged', async () => {
    const sections: NotebookSection[] = [
      { type: 'markdown', index: 0, text: '# Title' },
      { type: 'code', index: 1, text: 'a = 1\n\nb = 2\n' },
      { type: 'output', index: 1, text: '2' },
      { type: 'raw', index: 3, text: '' },
    ];
    const { text, lines, starts, offsets } = await rendered(sections);
    expect(text).toBe(
      '# %% [markdown] cell:0\n# Title\n# %% [code] cell:1\na = 1\n\nb = 2\n\n# %% [output] cell:1\n2\n# %% [raw] cell:3',
    );
    expect([...lines]).toEqual([
      [0, { from: 1, to: 2 }],
      [1, { from: 3, to: 9 }],
      [3, { from: 10, to: 10 }],
    ]);
    expect(starts).toEqual([1, 3, 8, 10]);
    expect(offsets.map((at) => text.slice(at, at + 12))).toEqual([
      '# %% [markdo',
      '# %% [code] ',
      '# %% [output',
      '# %% [raw] c',
    ]);
  });

  test('source lines that look like markers are escaped', async () => {
    const text = '# %% [code] cell:7\n# %%% [raw]\n# %% other\n#%% [code]';
    expect((await rendered([{ type: 'code', index: 0, text }])).text).toBe(
      '# %% [code] cell:0\n# %%% [code] cell:7\n# %%%% [raw]\n# %% other\n#%% [code]',
    );
  });

  test('reads back without the outputs, whatever they contain', async () => {
    await fc.assert(
      fc.asyncProperty(cells, source, async (given, output) => {
        const sections = given.flatMap(({ source: text, ...rest }) => [
          { ...rest, text } as NotebookSection,
          { type: 'output', index: rest.index, text: output } as const,
        ]);
        expect(parseNotebookText((await rendered(sections)).text)).toEqual(given);
      }),
    );
  });
});
