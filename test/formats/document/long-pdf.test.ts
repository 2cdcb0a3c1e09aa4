/** A PDF read in parts: every part is recognisable as one, and each suggested call continues in the same mode. */

import { expect, test } from 'vitest';
import { pdfPages, pdfText } from '../../support/documents.ts';
import { nextOf, textOf, unhurried, workspace } from '../../support/workspace.ts';

/** A heading on each page, set in larger letters. */
function book(pages: number): Buffer {
  const page = (number: number): Buffer =>
    pdfText(
      `) Tj /F1 24 Tf (Chapter ${number}) Tj /F1 12 Tf 0 -40 Td (${'words of this page '.repeat(4)}${number}.) Tj 0 -14 Td (and more of them) Tj (`,
    );
  return pdfPages(Array.from({ length: pages }, (_, i) => page(i + 1)));
}

const noticesOf = (answer: { readonly details: Record<string, unknown> }): string[] =>
  ((answer.details['notices'] ?? []) as { text: string }[]).map(({ text }) => text);

test('each answer names its part and calls for the others', { tags: 'slow' }, async () => {
  const { write, read, text } = workspace({ ...unhurried, limits: { bytes: 4096 } });
  write('long.pdf', book(230));
  // A page of it: the totals are not those of the document.
  expect(noticesOf(await read('long.pdf'))).toEqual([
    'Lines and totals are those of pages 1-100 of 230',
    expect.stringMatching(/^Showing lines 1-\d+ of \d+ .*Use long\.pdf:\d+\.\. to continue$/),
  ]);
  // Its last lines.
  expect(noticesOf(await read('long.pdf:-2'))).toEqual([
    'These are the last lines of pages 1-100 of 230. Use long.pdf:p131-:-2 for the last of all',
  ]);
  expect(noticesOf(await read('long.pdf:p20-150:-2:raw'))).toEqual([
    'These are the last lines of pages 20-119 of 230. Use long.pdf:p120-150:-2:raw for the last of all',
  ]);
  expect(noticesOf(await read('long.pdf:p131-:-2'))).toEqual([]);
  // A heading, alone and in a list.
  expect(await text('long.pdf:#Chapter 205')).toMatch(
    /has no symbol 'Chapter 205' in pages 1-100 of 230\..* Use long\.pdf:p101-:#Chapter 205 to look in the next ones\.$/,
  );
  expect(noticesOf(await read('long.pdf:#Chapter 7,#Chapter 205'))).toContainEqual(
    expect.stringMatching(/in pages 1-100 of 230\..*Use long\.pdf:p101-:#Chapter 205 to look in the next/),
  );
  expect(await text('long.pdf:p201-:#Chapter 205')).toContain('205.');
});

test.each([
  ['#page=3', 'p3'],
  ['#page=3&zoom=100,0,0', 'p3'],
  [':page=3', 'p3'],
  [':page 3', 'p3'],
  [':page:3', 'p3'],
  [':Page3', 'p3'],
  [':pages 3-4', 'p3-4'],
  [':pages:3-4', 'p3-4'],
  [':pages=3–4', 'p3-4'],
  [':p3 - 4', 'p3-4'],
  [':page=3:1..4', 'p3:1..4'],
  [':slide 3', 'p3'],
])('long.pdf%s is %s', async (typed, meant) => {
  const { write, text } = workspace(unhurried);
  write('long.pdf', book(5));
  expect(await text(`long.pdf${typed}`)).toBe(await text(`long.pdf:${meant}`));
  expect(await text(`long.pdf:${meant}`)).toContain('Chapter 3');
});

test.each(['outline', 'raw'])('the parts of a long PDF keep their mode: %s', async (mode) => {
  const { write, read } = workspace(unhurried);
  write('long.pdf', book(230));
  const calls: string[] = [];
  const texts: string[] = [];
  for (let next: string | undefined = `long.pdf:${mode}`; next !== undefined;) {
    const answer = await read(next);
    calls.push(next);
    texts.push(textOf(answer));
    next = nextOf(answer);
  }
  expect(calls).toEqual([`long.pdf:${mode}`, `long.pdf:p101-:${mode}`, `long.pdf:p201-:${mode}`]);
  const seen = texts.join('\n').match(/^(?:\[L\d+-\d+\] )?# Chapter \d+$/gm) ?? [];
  expect(seen.map((line) => Number(/\d+$/.exec(line)?.[0]))).toEqual(
    Array.from({ length: 230 }, (_, i) => i + 1),
  );
});
