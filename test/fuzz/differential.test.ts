/**
 * The same questions to us and to programs that are right: sed, head, tail, wc, unzip, tar, Python.
 *
 * @module-tag slow
 */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { windowedText } from '../../src/window.ts';
import { writeFileSync } from 'node:fs';
import { has } from '../support/has.ts';
import { tar } from '../support/tar.ts';
import { bodyOf, codeOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';
import { damaged, edits } from './damage.ts';
import { inRounds, roundsTimeout as timeout } from './rounds.ts';
import { python, PYTHON_MEMBERS, shell } from './readers.ts';

const WIDE = { limits: { lines: 1e6, bytes: 1 << 24, line: 1 << 24 } };

/** Lines of all sizes, with every kind of ending; sometimes no text at all. */
const pieces = fc.constantFrom(
  ...'a,bc,\n,\n,\n\n,\r\n,\r,\0,\u00e9,\u{1f600}, ,\t'.split(','),
  'x'.repeat(200),
);
const texts = fc
  .array(pieces, { maxLength: 120 })
  .map((parts) => parts.join(''))
  .map((text) => Buffer.from(text, 'utf8'));
/** Not always text: bytes in no order, but no byte order mark, and no text of two bytes a character. */
const raw = fc
  .uint8Array({ maxLength: 200, min: 1 })
  .map((bytes) => Buffer.from([0x41, 0x42, 0x43, ...bytes]));

const decoded = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

const asked = (text: Awaited<ReturnType<ReturnType<typeof windowedText>['read']>>): string =>
  text.parts
    .flat()
    .filter(({ role }) => role === 'asked')
    .map((line) => line.text)
    .join('');

test('windows equal sed, head and tail; totals equal wc', { timeout }, async () => {
  const { W } = workspace();
  const one = fc.record({
    bytes: fc.oneof(texts, raw),
    from: fc.integer({ min: 1, max: 60 }),
    more: fc.nat(30),
    last: fc.integer({ min: 1, max: 40 }),
    start: fc.nat(400),
    length: fc.integer({ min: 1, max: 400 }),
  });
  type One = typeof one extends fc.Arbitrary<infer T> ? T : never;
  const seed = (text: string): One => ({
    bytes: Buffer.from(text),
    from: 1,
    more: 1,
    last: 1,
    start: 1,
    length: 1,
  });
  const compare = async (cases: readonly One[]): Promise<void> => {
    for (const [i, { bytes }] of cases.entries()) writeFileSync(join(W, `${i}`), bytes);
    const answers = shell(
      cases.flatMap(({ from, more, last }, i) => [
        `sed -n '${from},${from + more}p' ${i}`,
        `tail -n ${last} ${i}`,
        `wc -l < ${i}`,
      ]),
      W,
    ) as Buffer[];
    const spans: [number, number, number][] = [];
    for (const [i, { bytes, from, more, last, start, length }] of cases.entries()) {
      const text = windowedText(bytes);
      const what = JSON.stringify([bytes.toString('hex'), from, from + more, last, start, length]);
      const [wantedLines, wantedTail, wantedCount] = answers.slice(3 * i);
      const lines = await text.read(
        { kind: 'lines', ranges: [{ from, to: from + more }], context: false },
        WIDE,
      );
      expect(asked(lines), what).toBe(decoded(wantedLines as Buffer));
      const ending = bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0;
      const count = Number(String(wantedCount)) + ending;
      expect((await text.read(undefined, WIDE)).totals.lines, what).toBe(count);
      expect(asked(await text.read({ kind: 'tail', lines: last }, WIDE)), what).toBe(
        decoded(wantedTail as Buffer),
      );
      if (start >= bytes.length) continue;
      const page = await text.read({ kind: 'bytes', start, length }, WIDE);
      const [first, end] = [page.parts.flat()[0]?.start ?? 0, page.parts.flat().at(-1)?.end ?? 0];
      spans.push([i, first, end]);
      // It begins where a line does, and ends where one does, at or behind what was asked for.
      expect(first <= start && (first === 0 || bytes[first - 1] === 10), what).toBe(true);
      expect(end >= Math.min(start + length, bytes.length), what).toBe(true);
      expect(asked(page), what).toBe(decoded(bytes.subarray(first, end)));
    }
    const heads = shell(
      spans.map(([i, first, end]) => `head -c ${end} ${i} | tail -c +${first + 1}`),
      W,
    );
    for (const [k, [i, first, end]] of spans.entries())
      expect((heads[k] as Buffer).equals((cases[i] as One).bytes.subarray(first, end))).toBe(true);
  };
  const seeds = ['', '\n', 'a', 'a\n', 'a\r\n', 'a\n\nb', '\r', 'a\0b\n'].map(seed);
  await inRounds('windows beside sed, head, tail and wc', 60, { seeds, cases: one }, compare);
});

describe('archives', () => {
  const names = ['a.txt', 'd/b.txt', 'd/\u00e9.txt', 'c d.txt'];
  const contents = fc
    .array(fc.constantFrom('one', 'two\n', 'three ', '\n', 'x'.repeat(600)), { maxLength: 12 })
    .map((parts) => `begins ${parts.join('')}`);
  const archive = fc.record({
    texts: fc.array(contents, { minLength: 1, maxLength: 4 }),
    stored: fc.boolean(),
    edits: fc.option(edits, { nil: [] }),
  });
  type One = typeof archive extends fc.Arbitrary<infer T> ? T : never;
  const cut = [
    { at: 60_559, what: 'remove', value: 141 },
    { at: 19_271, what: 'set', value: 6 },
    { at: 63_672, what: 'remove', value: 163 },
  ];
  const seeds: One[] = [
    { texts: ['begins'], stored: true, edits: [] },
    // NULs become part of a member; a notice stands behind a line without an end.
    {
      texts: ['begins three ', `begins one\n${'x'.repeat(600)}\n${'x'.repeat(600)}`],
      stored: false,
      edits: cut,
    },
    {
      texts: ['begins one', `begins ${'x'.repeat(1_200)}two`, 'begins'],
      stored: false,
      edits: cut.slice(0, 1),
    },
  ];

  for (const kind of ['zip', 'tar'] as const) {
    const tool = kind === 'zip' ? 'unzip' : 'tar';
    const here = has('python3') && (kind === 'tar' || has('unzip'));
    test.runIf(here)(`members of a ${kind} are those of ${tool} and Python`, { timeout }, async () => {
      const made = workspace();
      const bytesOf = ({ texts: all, stored, edits: wanted }: One): Buffer => {
        const entries = all.map((content, i) => ({ name: names[i] as string, content }));
        const whole =
          kind === 'tar' ? tar(entries) : zip(entries.map((e) => ({ ...e, method: stored ? 0 : 8 })));
        return Buffer.from(damaged(whole, wanted));
      };
      const compare = async (cases: readonly One[]): Promise<void> => {
        const files = cases.map((one, i) => {
          made.write(`${i}.${kind}`, bytesOf(one));
          return `${i}.${kind}`;
        });
        const ofPython = python<Record<string, string | null> | null>(PYTHON_MEMBERS, files, made.W);
        const print = (file: string, name: string): string =>
          kind === 'zip' ? `unzip -p ${file} '${name}'` : `tar -xOf ${file} '${name}'`;
        const wanted = files.flatMap((file, i) =>
          (cases[i] as One).texts.map((_, k) => ({ file, i, name: names[k] as string })),
        );
        const ofTool = shell(
          wanted.map(({ file, name }) => print(file, name)),
          made.W,
        );
        for (const [k, { file, i, name }] of wanted.entries()) {
          const answer = await made.read(`${file}:${name}:raw`);
          const python3 = ofPython[i]?.[name];
          const intact = (cases[i] as One).edits.length === 0;
          const what = `${file}:${name} of ${JSON.stringify(cases[i])}`;
          if (intact)
            expect([codeOf(answer), bodyOf(answer)], what).toEqual([
              'OK',
              (cases[i] as One).texts[Number(names.indexOf(name))],
            ]);
          // Where both of the others give the same, and we give something whole, it is the same.
          if (codeOf(answer) !== 'OK' || typeof python3 !== 'string' || ofTool[k] === undefined) continue;
          if (python3 !== ofTool[k]?.toString('latin1')) continue;
          if (answer.details['kind'] === 'binary' || /^\[/m.test(bodyOf(answer))) continue;
          expect(wordings(python3), what).toContain(bodyOf(answer));
        }
      };
      await inRounds(`${kind} beside ${tool} and Python`, 16, { seeds, cases: archive }, compare);
    });
  }
});

/** A NUL is an escape in verbatim text too, and a notice begins a line. */
function wordings(latin1: string): readonly string[] {
  const text = decoded(Buffer.from(latin1, 'latin1')).replaceAll('\0', '\\x00');
  return [text, `${text}\n`];
}
