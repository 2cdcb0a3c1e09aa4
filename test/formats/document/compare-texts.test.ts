/** The choice between two extractions of a page; a truncated text ends with a complete page. */

import { expect, test } from 'vitest';
import { truncateText, wholePages } from '../../../src/formats/document/child/answer.ts';
import { betterOf } from '../../../src/formats/document/child/pdf.ts';

const PROSE =
  'The harbour was open on most days and the keeper wrote down what he saw from the tower. '.repeat(5);

test.each([
  ['a number', '1200', true],
  ['one of two equal numbers', '45 45', true],
  ['a year', '1999', true],
  ['the number of a point', '7', false],
])('an extraction that has lost %s is not shown: %s', (_, cells, isLost) => {
  const kept = cells.split(' ').slice(1).join(' ');
  const plain = `Header\n${PROSE}\nRegion ${cells} North\nFooter`;
  const structured = `# Header\n\n${PROSE}\nRegion ${kept} North\nFooter`;
  expect(betterOf(structured, plain)).toBe(isLost ? plain : structured);
});

test.each(['see PARA-2', 'in 1984', 'the harbour'])('a footnote mark after "%s" may be missing', (text) => {
  const plain = `Header\n${PROSE}\n${text}12 and more\nFooter`;
  const structured = `# Header\n\n${PROSE}\n${text} and more\nFooter`;
  expect(betterOf(structured, plain)).toBe(structured);
});

const WORDS = PROSE.trim().split(' ');
const HEBREW = 'שלום עולם '.repeat(20);
const BAD = '\ufffd'.repeat(50);

test.each([
  ['no letters', '1. 2.', PROSE, 'plain'],
  ['what the other has not', PROSE, '', 'structured'],
  ['fewer letters', PROSE.slice(0, 0.85 * PROSE.length), PROSE, 'plain'],
  ['nearly all letters', PROSE.slice(0, 0.95 * PROSE.length), PROSE, 'structured'],
  ['glued words', PROSE.replace(/ (?=[a-m])/g, ''), PROSE, 'plain'],
  ['some longer words', PROSE.replace(/(keeper) (wrote) (down) (what) (he)/g, '$1$2$3$4$5'), PROSE, 'plain'],
  ['scattered words', WORDS.map((word) => word.replace(/(?<=^..)/, ' ')).join(' '), PROSE, 'plain'],
  ['words that ten others are', 'a b c d e f g h i j', 'ab cd ef gh ij', 'structured'],
  ['words from right to left', HEBREW.split('').toReversed().join(''), HEBREW, 'plain'],
  ['garbled letters', PROSE + BAD, PROSE, 'plain'],
  ['letters that the other has garbled', PROSE, PROSE + BAD, 'structured'],
])('of a page with %s the better reading is shown', (_, structured, plain, better) => {
  expect(betterOf(structured, plain)).toBe(better === 'plain' ? plain : structured);
});

test('a page number in an outer line may be missing', () => {
  const structured = `# Heading\n\n${PROSE}`;
  expect(betterOf(structured, `Report 2024\nHeading\n${PROSE}\npage 12 of 40`)).toBe(structured);
});

test.each([
  ['infor-\nmation', 'infor- mation', 'information'],
  ['Vor-\nund Nachteile', 'Vor- und Nachteile', 'Vor- und Nachteile'],
  ['pre-\nand post-war', 'pre- and post-war', 'pre- and post-war'],
  ['Tages-\noder Nachtzeiten', 'Tages- oder Nachtzeiten', 'Tages- oder Nachtzeiten'],
  [
    'a well-\nknown rule, known to all',
    'a well- known rule, known to all',
    'a well-known rule, known to all',
  ],
  [
    'a well-\nknown rule, the well-known',
    'a well- known rule, the well-known',
    'a well-known rule, the well-known',
  ],
  ['ein Wort-\nende', 'ein Wort- ende', 'ein Wortende'],
])('hyphenated words at the end of a line: %j', (plain, structured, shown) => {
  expect(betterOf(structured, plain)).toBe(shown);
});

test('a truncated text ends with its last complete page', () => {
  const pages = [1, 2, 3, 4].map((number) => `--- page ${number} ---\n\n${`line ${number}\n`.repeat(100)}\n`);
  const { body, isCut } = truncateText(pages, 2_000);
  expect(isCut).toBe(true);
  expect(wholePages(body)).toEqual({ body: Buffer.from(pages.slice(0, 2).join('')), next: 3 });
  // A page that is larger than a text.
  expect(wholePages(truncateText(pages, 500).body)).toBeUndefined();
  expect(truncateText(pages, 10_000)).toEqual({ body: Buffer.from(pages.join('')), isCut: false });
});
