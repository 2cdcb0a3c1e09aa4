/** The examples of pages about sources, run as they stand, over files that fit them. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './support/cli.ts';
import { exifBlock, makePng, pngEnd, pngHeader, pngSignature, withExif } from './support/images.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-docs-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const plot = makePng(640, 480);

const survey = JSON.stringify({
  nbformat: 4,
  metadata: {},
  cells: [
    { cell_type: 'markdown', source: '# Survey' },
    {
      cell_type: 'code',
      source: "import pandas as pd\nanswers = pd.read_csv('answers.csv')\nanswers.describe()",
      outputs: [
        {
          output_type: 'execute_result',
          data: { 'text/plain': '       age\ncount   12', 'text/html': '<table>12</table>' },
        },
      ],
    },
    {
      cell_type: 'code',
      source: 'answers.plot()',
      outputs: [
        {
          output_type: 'display_data',
          data: { 'image/png': plot.toString('base64'), 'text/plain': '<Figure size 640x480>' },
        },
      ],
    },
  ],
});

beforeAll(async () => {
  const photo = await sharp(makePng(300, 200)).resize(3000, 2000).jpeg().toBuffer();
  const files = {
    'survey.ipynb': survey,
    'cut.ipynb': survey.slice(0, 120),
    'photo.jpg': withExif(photo, exifBlock(6)),
    'bomb.png': Buffer.concat([pngSignature, pngHeader(60_000, 60_000), pngEnd]),
    'cut.png': plot.subarray(0, 500),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
});

/** Each command of a page with what is printed below it. */
const examples = ['docs/notebooks.md', 'docs/images.md'].flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ oriel /m)
      .slice(1)
      .map((example) => {
        const [command = '', ...printed] = example.trimEnd().split('\n');
        return { page, command, printed: printed.join('\n') };
      }),
  ),
);

/** How large an encoded image is, is the encoder's business. */
const plain = (text: string) => text.trimEnd().replaceAll(/\d+ bytes\b/g, 'N bytes');

test.each(examples)('$page: oriel $command', ({ command, printed }) => {
  const { out, err } = run(command.split(' '), { cwd });
  const images = printed.includes('(an image of') || !err.startsWith('(an image of') ? err : '';
  expect(plain(out + images)).toBe(plain(printed));
});
