import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { notebookSource } from '../../../src/formats/table.ts';
import type { MixedResource, TextResource } from '../../../src/types/call.ts';
import { makePng } from '../../support/images.ts';
import { file, openWith, type OpenOptions, wholeText } from '../../support/open-source.ts';
import { parseNotebookText } from '../../support/notebook-text.ts';

const NAME = 'nb.ipynb';

/** The text that a notebook of this content is answered with. */
async function text(content: unknown, rest = ''): Promise<TextResource> {
  const resource = await open(content, { rest });
  return resource.kind === 'mixed' ? resource.text : resource;
}

async function open(content: unknown, options: OpenOptions = {}): Promise<TextResource | MixedResource> {
  const stored = typeof content === 'string' ? content : JSON.stringify(content);
  const resource = await openWith(notebookSource, await file(NAME, stored), options);
  if (resource?.kind !== 'text' && resource?.kind !== 'mixed') throw new Error('not answered as a notebook');
  return resource;
}

const code = (source: unknown, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs });
const v4 = (...cells: unknown[]) => ({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

const small = v4(
  {
    cell_type: 'markdown',
    source: ['# Title\n', 'words'],
    attachments: { 'x.png': { 'image/png': 'AAAA' } },
  },
  code('a = 1\na', [{ output_type: 'execute_result', data: { 'text/plain': ['1'] } }]),
  { cell_type: 'raw', source: '' },
);

const smallText = '# %% [markdown] cell:0\n# Title\nwords\n# %% [code] cell:1\na = 1\na\n# %% [raw] cell:2';

describe('cells', () => {
  test('are text under markers, with the call for the outputs', async () => {
    const resource = await text(small);
    expect(await wholeText(resource)).toBe(smallText);
    expect(resource).toMatchObject({
      format: 'notebook',
      encoding: 'utf-8',
      target: NAME,
      editable: true,
      facts: { notebook: { cells: 3, bad: 0 } },
      notes: [{ kind: 'said', text: '1 cell has outputs. Use nb.ipynb:outputs to see them' }],
    });
  });

  test('read back as they were', async () => {
    const sources = ['# %% [code] cell:1', 'x\r\n\n', '', '\n', '日本語\t"\\'];
    const parsed = parseNotebookText(
      await wholeText(await text(v4(...sources.map((source) => code(source))))),
    );
    expect(parsed?.map(({ source }) => source)).toEqual(sources);
  });

  test('a notebook without cells is reported as empty', async () => {
    expect(await openWith(notebookSource, await file(NAME, JSON.stringify(v4())))).toEqual({
      kind: 'note',
      format: 'notebook',
      note: {
        kind: 'said',
        use: 'nb.ipynb:raw',
        text: 'The notebook has no cells. Use nb.ipynb:raw for the JSON',
      },
      facts: { notebook: { cells: 0, bad: 0 } },
    });
  });

  test('files with other names are not notebooks, whatever they contain', async () => {
    for (const name of ['nb.json', 'nb.ipynb.txt'])
      expect(await openWith(notebookSource, await file(name, JSON.stringify(small)))).toBeUndefined();
  });
});

describe('selectors', () => {
  test(':raw is the stored JSON', async () => {
    const resource = await text(small, 'raw');
    expect(await wholeText(resource)).toBe(JSON.stringify(small));
    expect(resource).toMatchObject({ encoding: 'stored', selection: { mode: 'raw' } });
  });

  test.each([
    ['3-4', { window: { kind: 'lines', ranges: [{ from: 3, to: 4 }], context: true } }],
    ['@10+64K', { window: { kind: 'bytes', start: 10, length: 65_536 } }],
    ['-2', { window: { kind: 'tail', lines: 2 } }],
    ['cells:1', { window: { kind: 'lines', ranges: [{ from: 4, to: 6 }], context: false } }],
    ['cell:1', { window: { kind: 'lines', ranges: [{ from: 4, to: 6 }], context: false } }],
    ['cells:0-1', { window: { kind: 'lines', ranges: [{ from: 1, to: 6 }], context: false } }],
    ['cells:1-', { window: { kind: 'lines', ranges: [{ from: 4, to: 7 }], context: false } }],
    ['cells:1..99', { window: { kind: 'lines', ranges: [{ from: 4, to: 7 }], context: false } }],
    [
      'cells:1:outputs',
      { window: { kind: 'lines', ranges: [{ from: 4, to: 8 }], context: false }, mode: 'outputs' },
    ],
    [
      'outputs:cells:2',
      { window: { kind: 'lines', ranges: [{ from: 9, to: 9 }], context: false }, mode: 'outputs' },
    ],
  ])('%s', async (rest, selection) => {
    expect((await text(small, rest)).selection).toEqual(selection);
  });

  test.each('nonsense meta conflicts cells cells: cells:x cells:1:3-4 cells:1:raw cells:-1'.split(' '))(
    '%s is not a selector',
    async (rest) => {
      await expect(text(small, rest)).rejects.toMatchObject({
        code: 'BAD_SELECTOR',
        message: `:${rest} is not a selector of nb.ipynb. Use nb.ipynb alone, or followed by :outputs, cells (:cells:3-5), lines (:50-100) or :raw.`,
        next: NAME,
      });
    },
  );

  test('a wrong range is answered with the complete call', async () => {
    await expect(text(small, '9-2')).rejects.toMatchObject({ code: 'BAD_SELECTOR', next: 'nb.ipynb:2-9' });
  });
});

describe('damaged notebooks', () => {
  test('N01 truncated JSON is CORRUPT with an offset; :raw works', async () => {
    const stored = JSON.stringify(small);
    for (const length of [0, 1, 40, 120, stored.length - 1]) {
      const cut = stored.slice(0, length);
      await expect(text(cut)).rejects.toMatchObject({
        code: 'CORRUPT',
        message: `nb.ipynb is not a whole notebook: it ends too early at byte ${length}. Use nb.ipynb:raw for its text.`,
        next: 'nb.ipynb:raw',
      });
      expect(await wholeText(await text(cut, 'raw'))).toBe(cut);
    }
  });

  test.each([
    ['an unexpected byte', '{"cells": [}', / it has '\}' where a value or \] should be at byte 11\. Use /],
    ['another encoding', Buffer.from(`\ufeff${JSON.stringify(small)}`, 'utf16le'), / at byte \d+\. Use /],
    ['zeros', Buffer.alloc(1_000), / at byte \d+\. Use /],
    ['something behind it', `${JSON.stringify(small)}garbage`, / at byte \d+\. Use /],
  ])('N01 %s', async (_, content, message) => {
    await expect(openWith(notebookSource, await file(NAME, content))).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringMatching(message) as string,
      next: 'nb.ipynb:raw',
    });
  });

  test('N01 truncated in the last megabytes of a large output', async () => {
    const stored = JSON.stringify(v4(code('a', [{ output_type: 'stream', text: 'x'.repeat(5 << 20) }])));
    await expect(text(stored.slice(0, -100))).rejects.toMatchObject({
      code: 'CORRUPT',
      next: 'nb.ipynb:raw',
    });
  });

  test('N03 good cells are shown, bad ones are noted', async () => {
    const resource = await text(
      v4(
        code('good'),
        5,
        null,
        [code('in a list')],
        { cell_type: 7, source: 'x' },
        { cell_type: 'code', source: { a: 1 } },
        { cell_type: 'code', source: ['a', 2] },
        { source: 'no type' },
        { cell_type: 'toString', source: 'x' },
        { cell_type: 'markdown', source: ['also ', 'good'], outputs: 'none', metadata: 3 },
      ),
    );
    expect(await wholeText(resource)).toBe('# %% [code] cell:0\ngood\n# %% [markdown] cell:9\nalso good');
    expect(resource.editable).toBe(false);
    expect(resource.notes).toEqual([
      {
        kind: 'said',
        use: 'nb.ipynb:raw',
        text:
          '8 of 10 cells left out as damaged: cell 1 (it is not an object), cell 2 (it is not an object), ' +
          'cell 3 (it is not an object), cell 4 (its cell_type is missing or unknown), ' +
          'cell 5 (its source is missing or not text), 3 more. Use nb.ipynb:raw for the JSON',
      },
    ]);
    await expect(text(v4(5), 'cells:0')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: 'Cell 0 of nb.ipynb is damaged: it is not an object.',
      next: 'nb.ipynb:raw',
    });
  });

  test.each([
    ['no cells key', { nbformat: 4, metadata: {} }, 'it has no list of cells'],
    ['cells of another type', { nbformat: '4', cells: { a: 1 }, metadata: [] }, 'it has no list of cells'],
    ['worksheets of nbformat 3', { worksheets: [{ cells: [] }] }, 'it has no list of cells'],
    ['a list', [1, 2], 'it is not an object'],
    ['a number', 7, 'it is not an object'],
  ])('N03 %s', async (_, content, why) => {
    expect(await openWith(notebookSource, await file(NAME, JSON.stringify(content)))).toMatchObject({
      kind: 'note',
      note: {
        kind: 'said',
        use: 'nb.ipynb:raw',
        text: `No cells to show: ${why}. Use nb.ipynb:raw for the JSON`,
      },
    });
  });

  test('N03 outputs of wrong types', async () => {
    const outputs = [
      3,
      null,
      'text',
      [],
      {},
      { output_type: 1, text: 5 },
      { output_type: 'error', traceback: { a: 1 } },
    ];
    const resource = await text(
      v4(code('a', outputs), { cell_type: 'code', source: 'b', outputs: 9 }),
      'outputs',
    );
    expect(await wholeText(resource)).toBe(
      '# %% [code] cell:0\na\n# %% [output] cell:0\n5\n{"a":1}\n# %% [code] cell:1\nb',
    );
  });

  test('NaN, as written by Python, is accepted', async () => {
    const stored = JSON.stringify(
      v4(code('a', [{ output_type: 'display_data', data: { 'application/json': 0 } }])),
    );
    const resource = await text(
      stored.replace('"application/json":0', '"application/json":[NaN,Infinity]'),
      'outputs',
    );
    expect(await wholeText(resource)).toBe('# %% [code] cell:0\na\n# %% [output] cell:0\n[NaN,Infinity]');
  });

  test('more than a hundred thousand cells', { tags: 'slow' }, async () => {
    const cells = Array<string>(100_001).fill('{"cell_type":"raw","source":""}').join(',');
    await expect(text(`{"cells":[${cells}]}`)).rejects.toMatchObject({
      code: 'LIMIT',
      message: 'The notebook has more than 100000 cells or 32 MiB of source.',
      next: 'nb.ipynb:raw',
    });
  });
});

describe(':outputs', () => {
  test('text, errors and results, as a terminal would show them', async () => {
    const resource = await text(
      v4(
        code('run()', [
          { output_type: 'stream', name: 'stdout', text: ['10%\r', '50%\r100%\n', 'done\n'] },
          { output_type: 'stream', name: 'stderr', text: 'careful\n' },
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[0;31mE\u001b[0m', ' at 1'] },
          { output_type: 'error', ename: 'E', evalue: 'without traceback', traceback: [] },
          { output_type: 'execute_result', data: { 'text/html': '<b>1</b>', 'text/plain': '1' } },
          { output_type: 'display_data', data: { 'application/vnd.plotly.v1+json': { data: [1, 2, 3] } } },
          { output_type: 'stream', text: '# %% [code] cell:9' },
        ]),
      ),
      'outputs',
    );
    expect(await wholeText(resource)).toBe(
      [
        '# %% [code] cell:0',
        'run()',
        '# %% [output] cell:0',
        '100%',
        'done',
        'stderr: careful',
        'E',
        ' at 1',
        'E: without traceback',
        '1',
        '[text/html, 10 bytes, not shown]',
        '[application/vnd.plotly.v1+json, 16 bytes, not shown]',
        '# %%% [code] cell:9',
      ].join('\n'),
    );
    expect(resource).toMatchObject({ editable: false, modes: ['outputs'], notes: [] });
  });

  test('one cell’s text is truncated and names the next call', async () => {
    const long = Array.from({ length: 50_000 }, (_, line) => `line ${line}\n`);
    const content = v4(code('loop()', [{ output_type: 'stream', text: long }]), code('next'));
    const whole = await wholeText(await text(content, 'outputs'));
    const stored = JSON.stringify(content);
    const [start, end] = [stored.indexOf('[{"output_type'), stored.indexOf('}]', 100) + 2];
    expect(end - start).toBeGreaterThan(256 * 1024);
    expect(whole.split('\n').slice(0, 4)).toEqual([
      '# %% [code] cell:0',
      'loop()',
      '# %% [output] cell:0',
      'line 0',
    ]);
    expect(whole.split('\n').slice(-4)).toEqual([
      'line 119',
      `[Outputs of this cell cut. Use nb.ipynb:@${start}+256K:raw for their JSON]`,
      '# %% [code] cell:1',
      'next',
    ]);
  });

  test('one long line and many small outputs are bounded', async () => {
    const line = await wholeText(
      await text(v4(code('a', [{ output_type: 'stream', text: '😀'.repeat(30_000) }])), 'outputs'),
    );
    expect(line).toMatch(
      /^# %% \[code\] cell:0\na\n# %% \[output\] cell:0\n(?:😀){4096}\n\[Outputs of this cell cut\. Use /u,
    );
    const other = { output_type: 'display_data', data: { 'x/y': 1 } };
    const many = await wholeText(
      await text(
        v4(
          code(
            'a',
            Array.from({ length: 1000 }, () => other),
          ),
        ),
        'outputs',
      ),
    );
    expect(many.split('\n')).toHaveLength(3 + 20 + 1);
  });
});

describe('images among outputs', () => {
  const display = (data: Buffer, mimeType = 'image/png') => ({
    output_type: 'display_data',
    data: { [mimeType]: `${data.toString('base64')}\n`, 'text/plain': '<Figure>' },
  });
  const plot = display(makePng(64, 48));

  async function mixed(content: unknown, rest = 'outputs') {
    const resource = await openWith(notebookSource, await file(NAME, JSON.stringify(content)), { rest });
    if (resource?.kind !== 'mixed') throw new Error('no images');
    return resource;
  }
  const everything = { start: 0, end: Number.POSITIVE_INFINITY };

  test('are mentioned in the text and follow it', async () => {
    const resource = await mixed(v4(code('plot()', [plot])));
    expect(await wholeText(resource.text)).toBe(
      '# %% [code] cell:0\nplot()\n# %% [output] cell:0\n[image 1: image/png, 64x48 pixels]\n<Figure>',
    );
    const { images, notes } = await resource.images(everything);
    expect(images.map(({ mimeType }) => mimeType)).toEqual(['image/png']);
    expect(await sharp(images[0]?.data).metadata()).toMatchObject({ width: 64, height: 48 });
    expect(notes).toEqual([{ kind: 'said', text: 'Image 1 follows at 64x48 pixels (full size)' }]);
  });

  test('only those of the shown bytes are converted', async () => {
    const resource = await mixed(v4(code('a', [plot]), code('b', [plot])));
    const whole = await wholeText(resource.text);
    const { notes } = await resource.images({
      start: whole.indexOf('# %% [code] cell:1'),
      end: whole.length,
    });
    expect(notes).toEqual([{ kind: 'said', text: 'Image 2 follows at 64x48 pixels (full size)' }]);
    expect(await resource.images({ start: 0, end: 10 })).toEqual({ images: [], notes: [] });
  });

  test('share one budget, and the next call shows the others', async () => {
    // Noise cannot be compressed: two of these copies fit.
    const pixels = randomBytes(3 * 200 ** 2);
    const noise = display(
      makePng(200, 200, (x, y) => {
        const [r = 0, g = 0, b = 0] = pixels.subarray(3 * (200 * y + x));
        return [r, g, b];
      }),
    );
    const resource = await mixed(v4(code('a', [noise, noise, noise, noise])));
    const first = await resource.images(everything);
    expect(first.images).toHaveLength(2);
    expect(first.notes).toEqual([
      {
        kind: 'said',
        use: 'nb.ipynb:8..:outputs',
        text:
          'Image 1 follows at 200x200 pixels (full size); image 2 follows at 200x200 pixels (full size); ' +
          'image 3 and later ones are over the image budget. Use nb.ipynb:8..:outputs to see them',
      },
    ]);
    expect((await wholeText(resource.text)).split('\n')[7]).toBe('[image 3: image/png, 200x200 pixels]');
  });

  test('that are missing, damaged or truncated are reported', async () => {
    const cut = makePng(64, 48).subarray(0, 120);
    const resource = await mixed(
      v4(
        code('a', [display(Buffer.from('not an image')), display(cut), display(makePng(9, 9), 'image/jpeg')]),
      ),
    );
    expect(await wholeText(resource.text)).toContain(
      '[image 1: image/png]\n<Figure>\n[image 2: image/png, 64x48 pixels]\n<Figure>\n[image 3: image/jpeg, 9x9 pixels]',
    );
    const { images, notes } = await resource.images(everything);
    expect(images).toHaveLength(1);
    expect(notes).toEqual([
      {
        kind: 'said',
        text:
          'Image 1 cannot be shown: it is not an image; image 2 cannot be shown: its pixels are damaged or cut short; ' +
          'image 3 follows at 9x9 pixels (full size)',
      },
    ]);
  });
});

describe('what is asked for in vain', () => {
  test.each([
    ['no cell', v4(), 'cells:0', 'Cell 0 does not exist: nb.ipynb has no cells.', 'raw'],
    ['one', v4(code('a')), 'cells:5', 'Cell 5 does not exist: nb.ipynb has one cell, 0.', 'cells:0'],
    ['three', small, 'cells:3', 'Cell 3 does not exist: nb.ipynb has 3 cells, 0 to 2.', 'cells:2'],
    ['backwards', small, 'cells:2-1', 'The cells 2-1 end before they start.', 'cells:1-2'],
  ])('%s', async (_, content, rest, message, next) => {
    await expect(open(content, { rest })).rejects.toMatchObject({ message, next: `${NAME}:${next}` });
  });

  test.each([
    [{ ename: 'E', evalue: 'v', traceback: [] }, 'E: v'],
    [{ ename: 'E' }, 'E: '],
    [{ evalue: 'v' }, 'Error: v'],
    [{ ename: 'E', traceback: ['one', 'two'] }, 'one\ntwo'],
  ])('an error is shown with what it has: %j', async (fields, shown) => {
    const shownOutput = await text(v4(code('x', [{ output_type: 'error', ...fields }])), 'outputs');
    expect(await wholeText(shownOutput)).toContain(`[output] cell:0\n${shown}`);
  });
});
