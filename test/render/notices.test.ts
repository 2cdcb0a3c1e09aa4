/** Every default sentence, as it is: models act on them, so a changed word is a change of behaviour. */

import { expect, test } from 'vitest';
import { baseLimits } from '../../src/text/limits.ts';
import {
  callsOf,
  detailOf,
  noStructure,
  say,
  sentence,
  withoutSelectors,
  type NoticeWording,
  wording,
} from '../../src/render/notices.ts';
import type { Notice } from '../../src/types/answer.ts';

const cut = {
  kind: 'cut',
  lines: [[1, 640]],
  totals: { lines: 60_000, bytes: 9_000_000 },
  by: 'bytes',
  limits: baseLimits,
  in: 'lines',
  use: 'big.txt:641..',
} as const;

const outputCut = {
  kind: 'output-cut',
  lines: [[801, 2800]],
  totals: { lines: 2800, bytes: 90_000 },
  by: 'lines',
  limits: baseLimits,
} as const;

const kept = { path: '/state/1.log', url: 'artifact://1', bytes: 90_000, capped: false };

const sentences: readonly (readonly [Notice, string])[] = [
  [cut, 'Showing lines 1-640 of 60000 (50 KiB limit). Use big.txt:641.. to continue'],
  [{ ...cut, by: 'lines' }, 'Showing lines 1-640 of 60000. Use big.txt:641.. to continue'],
  [
    { ...cut, by: 'tokens', limits: { ...baseLimits, tokens: 900 } },
    'Showing lines 1-640 of 60000 (900 token limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, lines: [[7, 7]], backwards: true },
    'Showing line 7 of 60000 (50 KiB limit). Use big.txt:641.. to continue backwards',
  ],
  [
    {
      ...cut,
      lines: [
        [1, 2],
        [9, 9],
      ],
      totals: {},
    },
    'Showing lines 1-2, 9 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, bytes: [0, 51_199], totals: { bytes: 9_000_000 } },
    'Showing lines 1-640, bytes 0-51199 of 9000000 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, by: 'line', lines: [[3, 3]], inside: { no: 3, bytes: 200_000 } },
    'Showing a part of line 3 (200000 bytes long) (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    {
      ...cut,
      in: 'bytes',
      by: 'window',
      bytes: [0, 65_591],
      totals: { bytes: 1_048_576 },
      lines: [[1, 812]],
      use: 'big.txt:@65591+64K',
    },
    'Showing bytes 0-65591 of 1048576 (lines 1-812). Use big.txt:@65591+64K to continue',
  ],
  [
    {
      ...cut,
      in: 'bytes',
      bytes: [0, 500],
      totals: {},
      lines: [],
      inside: { bytes: 9_999 },
      use: 'x:@500+64K',
    },
    'Showing bytes 0-500, inside a line (9999 bytes long). Use x:@500+64K to continue',
  ],
  [
    { kind: 'past-end', target: 'f', asked: 'Line 9', totals: { lines: 3 }, use: ['f:3', 'f:1'] },
    'Line 9 is beyond the end of f (3 lines). Use f:3 for the end or f:1 for the start',
  ],
  [
    { kind: 'past-end', target: 'a\nb', asked: 'Byte 9', line: 2, totals: { bytes: 8 }, use: ['f:2'] },
    'Line 2 of a\\nb ends at byte 8, and nothing follows. Use f:2 for the line',
  ],
  [
    { kind: 'past-end', target: 'f', asked: 'Byte 9', line: 2, continued: 'g', totals: {}, use: ['f:2'] },
    'Line 2 of f ends before byte 9, and nothing follows. Use g for the next page, f:2 for the line',
  ],
  [
    { kind: 'past-end', target: 'f', asked: 'Byte 9', totals: { bytes: 3 }, use: ['f:-20', 'f:1'] },
    'Byte 9 is beyond the end of f (3 bytes). Use f:-20 for the end or f:1 for the start',
  ],
  [
    { kind: 'past-end', target: 'f', asked: 'Line 9', totals: {}, use: ['f:-20'] },
    'Line 9 is beyond the end of f (which is shorter). Use f:-20 for the end',
  ],
  [{ kind: 'empty', target: 'f' }, 'f is empty: 0 lines'],
  [
    { kind: 'cut-end', line: 9, byte: 50, use: 'f:9..9' },
    'Line 9 is cut at byte 50. Use f:9..9 for the rest of it',
  ],
  [
    { kind: 'cut-end', byte: 50, use: 'f:@50+64K' },
    'The last line is cut at byte 50. Use f:@50+64K for the rest of it',
  ],
  [{ kind: 'around', line: 9, use: 'f:50..' }, 'Line 9 and the lines around it. Use f:50.. to continue'],
  [{ kind: 'short', target: 'f', last: 3 }, 'f ends at line 3'],
  [
    { kind: 'short', target: 'f', last: 3, missing: [{ from: 5, to: 5 }, { from: 7, to: 9 }, { from: 12 }] },
    'f ends at line 3: nothing at 5, 7-9, 12-',
  ],
  [
    {
      kind: 'past-end',
      target: 'app.db',
      asked: 'Line 501',
      totals: { lines: 500 },
      use: ['app.db:500', 'app.db:1'],
      continued: 'app.db?offset=500',
    },
    'Line 501 is beyond this page of app.db (500 lines). Use app.db?offset=500 for the next page, app.db:500 for the end or app.db:1 for the start',
  ],
  [
    { kind: 'binary', target: 'a.out', type: 'application/x-elf', bytes: 2048 },
    'a.out is binary (application/x-elf, 2 KiB). Use a shell to look at it: file a.out, or xxd a.out | head -100',
  ],
  [
    { kind: 'binary', target: 'x.docx', type: 'application/zip', use: 'x.docx:/' },
    'x.docx is binary (application/zip). Use x.docx:/ to list what it holds',
  ],
  [
    { kind: 'binary', target: 'a', type: 'NUL bytes' },
    'a is binary (NUL bytes). Use a shell to look at it: file a, or xxd a | head -100',
  ],
  [
    { kind: 'escaped', count: 1, use: 'f:raw' },
    '1 control or invisible character shown as escapes; f:raw has it as stored',
  ],
  [{ kind: 'escaped', count: 3 }, '3 control or invisible characters shown as escapes'],
  [
    { kind: 'escaped', count: 2, use: 'f:raw' },
    '2 control or invisible characters shown as escapes; f:raw has them as stored',
  ],
  [
    { kind: 'escaped', count: 1, use: 'f:raw', nul: true },
    '1 control or invisible character shown as escapes',
  ],
  [
    { kind: 'escaped', count: 2, use: 'f:raw', nul: true },
    '2 control or invisible characters shown as escapes; f:raw has them as stored, except NUL',
  ],
  [{ kind: 'invalid', count: 1, encoding: 'UTF-8' }, '1 invalid UTF-8 sequence shown as U+FFFD'],
  [{ kind: 'encoding', encoding: 'UTF-8', mark: true }, 'UTF-8 byte order mark taken off'],
  [{ kind: 'encoding', encoding: 'UTF-16LE', mark: true }, 'Decoded from UTF-16LE'],
  [{ kind: 'encoding', encoding: 'UTF-16LE', mark: false }, 'Decoded from UTF-16LE (no byte order mark)'],
  [{ kind: 'unterminated' }, 'No newline at end of file'],
  [
    { kind: 'changed', target: 'f' },
    'f changed while it was being read: lines may be from two versions. Call again',
  ],
  [
    { kind: 'suffix', from: 'app.ts', to: 'src/app.ts' },
    "Path 'app.ts' not found; resolved to 'src/app.ts' via suffix match",
  ],
  [
    { ...outputCut, kept, use: 'artifact://1:-2000@9' },
    'Showing lines 801-2800 of 2800. Full output: /state/1.log. Use artifact://1:-2000@9 to continue backwards',
  ],
  [
    { ...outputCut, by: 'bytes', stream: 'stderr', kept: { ...kept, capped: true } },
    'Showing lines 801-2800 of 2800 (50 KiB limit) of stderr. Full output: /state/1.log (its first 87.9 KiB)',
  ],
  [
    { ...outputCut, partial: { no: 1, shown: 51_200, bytes: 204_800 } },
    'Showing last 50 KiB of line 1 (line is 200 KiB). The full output could not be kept',
  ],
  [
    { ...outputCut, lines: [], by: 'bytes' },
    'Showing 0 of 2800 lines (50 KiB limit). The full output could not be kept',
  ],
  [
    { kind: 'output-binary', bytes: 2048, kept },
    'The output is binary (2 KiB) and is not shown. Full output: /state/1.log. Use a shell to look at it: xxd /state/1.log | head -100',
  ],
  [
    { kind: 'output-binary', bytes: 2048 },
    'The output is binary (2 KiB) and is not shown. The full output could not be kept',
  ],
  [{ kind: 'no-output' }, '(no output)'],
  [{ kind: 'exit', code: 3 }, 'Command exited with code 3'],
  [{ kind: 'signal', signal: 'SIGSEGV' }, 'Command was ended by signal SIGSEGV'],
  [{ kind: 'timeout-capped', asked: 700, seconds: 600 }, 'timeout is in seconds: 700 was capped at 600'],
  [{ kind: 'time-out', seconds: 1 }, 'Command timed out after 1 second'],
  [{ kind: 'time-out', seconds: 0.5 }, 'Command timed out after 0.5 seconds'],
  [{ kind: 'cancelled' }, 'Command was cancelled'],
  [{ kind: 'background', ended: 1, left: 0 }, '1 process left in the background ended with the command'],
  [{ kind: 'background', ended: 2, left: 0 }, '2 processes left in the background ended with the command'],
  [{ kind: 'background', ended: 2, left: 1 }, "1 of the command's processes could not be ended"],
  [
    { kind: 'summary', target: 'a.ts', elidedLines: 200, use: 'a.ts:4..7', whole: 'a.ts:1..' },
    '200 lines elided; re-read needed ranges, e.g. a.ts:4..7, or all of it: a.ts:1..',
  ],
  [
    { kind: 'summary', target: 'a.ts', elidedLines: 1, use: 'a.ts:4..4', left: 1 },
    '1 line elided with 1 symbol among them (a.ts:outline lists all); re-read needed ranges, e.g. a.ts:4..4',
  ],
  [
    { kind: 'log', lines: 9, shapes: 1, reports: 0, reportShapes: 0, isSampled: false, hidden: 0 },
    'A log of 9 lines of 1 shape; none reports an error, a warning or a failure',
  ],
  [
    {
      kind: 'log',
      lines: 9,
      shapes: 2,
      reports: 3,
      reportShapes: 1,
      isSampled: true,
      hidden: 2,
      use: 'f:4..5',
    },
    'A log of 9 lines of 2 shapes. Counted in its beginning, its end and samples between; 3 lines of 1 shape report errors, warnings or failures. Use f:4..5 to read 2 such lines not shown',
  ],
  [
    { kind: 'outline', target: 'a.ts', symbols: 2, example: { name: 'A.b', from: 3, to: 9 } },
    '2 symbols. Read one by its lines or its name, e.g. a.ts:3..9 or a.ts:#A.b',
  ],
  [{ kind: 'outline', target: 'a.ts', symbols: 90, left: 80 }, '90 symbols, 80 of them not listed'],
  [
    { kind: 'no-structure', what: 'map', why: 'minified', bytes: 8_192 },
    'No map: it looks minified, so only the first 8 KiB are shown',
  ],
  [
    { kind: 'no-structure', what: 'outline', why: 'minified', target: 'a.js' },
    'a.js has no outline: it looks minified. Use a.js to read it',
  ],
  [{ kind: 'no-structure', what: 'map', why: 'crash' }, 'No map: its parser failed. This is the text itself'],
  [
    {
      kind: 'symbols',
      target: 'a.ts',
      name: 'run',
      candidates: [{ name: 'A.run', use: 'a.ts:#A.run' }],
      more: 1,
    },
    "'run' is ambiguous in a.ts: A.run (a.ts:#A.run) and 1 more, see a.ts:outline",
  ],
  [
    {
      kind: 'symbols',
      target: 'a.ts',
      name: 'run',
      candidates: [
        { name: 'A.run', use: 'a.ts:#A.run' },
        { name: 'B.run', use: 'a.ts:#B.run' },
      ],
      more: 0,
      shown: true,
    },
    "'run' is ambiguous in a.ts: A.run (a.ts:#A.run), B.run (a.ts:#B.run); all are shown",
  ],
  [{ kind: 'said', text: 'as a source words it' }, 'as a source words it'],
];

/** What the same kinds say of other facts. */
const variants: readonly (readonly [Notice, string])[] = [
  [
    { ...cut, by: 'line', limits: { ...baseLimits, line: 2_048, bytes: 1_024 } },
    'Showing lines 1-640 of 60000 (1 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, by: 'line', limits: { ...baseLimits, line: 512, bytes: 1_024 } },
    'Showing lines 1-640 of 60000 (512 B limit). Use big.txt:641.. to continue',
  ],
  [{ ...cut, by: 'window' }, 'Showing lines 1-640 of 60000. Use big.txt:641.. to continue'],
  [
    { ...cut, lines: [[3, 3]], inside: { no: 3 } },
    'Showing a part of line 3 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, lines: [[3, 4]], bytes: [0, 9], totals: {} },
    'Showing lines 3-4 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, lines: [[3, 4]], totals: { bytes: 20 } },
    'Showing lines 3-4 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    {
      ...cut,
      lines: [
        [3, 3],
        [9, 9],
      ],
    },
    'Showing lines 3, 9 of 60000 (50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, in: 'bytes', bytes: [5, 9], lines: [[2, 3]], totals: { bytes: 20 } },
    'Showing bytes 5-9 of 20 (lines 2-3, 50 KiB limit). Use big.txt:641.. to continue',
  ],
  [
    { ...cut, in: 'bytes', by: 'window', bytes: [5, 9], lines: [], totals: { bytes: 20 } },
    'Showing bytes 5-9 of 20. Use big.txt:641.. to continue',
  ],
  [
    { ...cut, in: 'bytes', by: 'lines', lines: [], totals: {} },
    'Showing bytes 0-0. Use big.txt:641.. to continue',
  ],
  [
    { ...cut, in: 'bytes', bytes: [5, 9], lines: [], totals: { bytes: 20 }, inside: { no: 7 } },
    'Showing bytes 5-9 of 20, inside line 7. Use big.txt:641.. to continue',
  ],
  [
    {
      kind: 'past-end',
      target: 'a\nb',
      asked: 'Line 2',
      totals: { lines: 1, bytes: 4 },
      use: ['f:1', 'f:1'],
    },
    'Line 2 is beyond the end of a\\nb (1 line). Use f:1 for the end or f:1 for the start',
  ],
  [
    { kind: 'short', target: 'f', last: 3, missing: [{ from: 5, to: 6 }] },
    'f ends at line 3: nothing at 5-6',
  ],
  [
    { kind: 'binary', target: 'https://h/a\n', type: 'x', bytes: 1 },
    "https://h/a\\n is binary (x, 1 B). Use a shell to look at it: curl -sL 'https://h/a\\n' | xxd | head -100",
  ],
  [
    { kind: 'binary', target: 'S3://b/k y', type: 'x' },
    "S3://b/k y is binary (x). Use a shell to look at it: aws s3 cp 'S3://b/k y' - | xxd | head -100",
  ],
  [
    { kind: 'binary', target: 'a', type: 'x', use: 'a:raw', isNearlyText: true },
    'a is binary (x). Use a:raw to read it as text',
  ],
  [
    {
      kind: 'log',
      lines: 1,
      shapes: 1,
      reports: 1,
      reportShapes: 2,
      times: ['10:00', '11:00'],
      isSampled: false,
      hidden: 1,
      use: 'f:4',
    },
    'A log of 1 line of 1 shape, 10:00 to 11:00; 1 line of 2 shapes report errors, warnings or failures. Use f:4 to read 1 such line not shown',
  ],
  [
    { kind: 'binary', target: 'S3+x.y-z://b', type: 'x' },
    'S3+x.y-z://b is binary (x). Use S3+x.y-z://b:@0+1K for its first bytes',
  ],
  [
    { kind: 'binary', target: 'a/x://b c', type: 'x' },
    "a/x://b c is binary (x). Use a shell to look at it: file 'a/x://b c', or xxd 'a/x://b c' | head -100",
  ],
  [
    { kind: 'invalid', count: 2, encoding: 'UTF-8', use: 'f:encoding=gbk' },
    '2 invalid UTF-8 sequences shown as U+FFFD; f:encoding=gbk decodes it otherwise',
  ],
  [
    { kind: 'encoding', encoding: 'windows-1251', guessed: true, use: 'f:encoding=koi8-r' },
    'Decoded from windows-1251, which is a guess: the text does not say. f:encoding=koi8-r, or another name, decides',
  ],
  [{ kind: 'encoding', encoding: 'gbk', declared: true }, 'Decoded from gbk, as the text declares'],
  [{ kind: 'suffix', from: 'a\n', to: 'b\t' }, "Path 'a\\n' not found; resolved to 'b\\t' via suffix match"],
  [
    { ...outputCut, lines: [[5, 5]], kept: { ...kept, unshared: 'Redis is away' } },
    'Showing line 5 of 2800. Full output: /state/1.log (on this replica alone: Redis is away)',
  ],
  [
    { ...outputCut, kept: { ...kept, capped: true, unshared: 'it is large' } },
    'Showing lines 801-2800 of 2800. Full output: /state/1.log (its first 87.9 KiB; on this replica alone: it is large)',
  ],
  [
    { ...outputCut, lines: [], totals: { lines: 1, bytes: 9 }, unkept: 'The disk is full.' },
    'Showing 0 of 1 line. The disk is full',
  ],
  [
    { ...outputCut, by: 'tokens', unkept: 'a.b' },
    `Showing lines 801-2800 of 2800 (${baseLimits.tokens} token limit). a.b`,
  ],
  [
    { kind: 'output-binary', bytes: 1, kept: { ...kept, path: '/a b' } },
    "The output is binary (1 B) and is not shown. Full output: /a b. Use a shell to look at it: xxd '/a b' | head -100",
  ],
  [
    { kind: 'summary', target: 'a.ts', elidedLines: 2, use: ':4..7', left: 3, namesCalls: true },
    '2 lines elided with 3 symbols among them (a.ts:outline lists all; the path goes before each :#… and :N..M); re-read needed ranges, e.g. :4..7',
  ],
  [
    { kind: 'summary', target: 'a.ts', elidedLines: 2, use: ':4..7', namesCalls: true },
    '2 lines elided; re-read needed ranges, e.g. :4..7',
  ],
  [
    { kind: 'outline', target: 'a.ts', symbols: 1, left: 1, example: { name: 'b\n', from: 3, to: 9 } },
    '1 symbol, 1 of them not listed. Read one by its lines or its name, e.g. a.ts:3..9 or a.ts:#b\\n',
  ],
  [
    {
      kind: 'symbols',
      target: 'a\n',
      name: 'r\n',
      candidates: [{ name: 'b\t', use: 'u' }],
      more: 2,
      shown: true,
    },
    "'r\\n' is ambiguous in a\\n: b\\t (u) and 2 more; all are shown",
  ],
];

test.each(variants)('of other facts: %j', (notice, expected) =>
  expect(sentence(notice, wording)).toBe(expected),
);

test('where paths take no selector, no call has one', () => {
  const words = { ...wording, ...withoutSelectors };
  const said = (notice: Notice): string => sentence(notice, words);
  expect(said({ kind: 'escaped', count: 2, use: 'f:raw' })).toBe(
    '2 control or invisible characters shown as escapes',
  );
  expect(said({ kind: 'invalid', count: 1, encoding: 'UTF-8', use: 'f:encoding=gbk' })).toBe(
    '1 invalid UTF-8 sequence shown as U+FFFD',
  );
  expect(said({ kind: 'encoding', encoding: 'gbk', guessed: true, use: 'f:encoding=big5' })).toBe(
    'Decoded from gbk, which is a guess: the text does not say',
  );
  expect(said({ kind: 'encoding', encoding: 'gbk', declared: true })).toBe(
    'Decoded from gbk, as the text declares',
  );
});

test.each(sentences)('$kind', (notice, expected) => expect(sentence(notice, wording)).toBe(expected));

test('there is a test of each', () => {
  expect([...new Set(sentences.map(([{ kind }]) => kind))].toSorted()).toStrictEqual(
    Object.keys(wording).toSorted(),
  );
});

/** The same notice, with each of its words this many times as long. */
function longer<T>(value: T): T {
  if (typeof value === 'string') return `${value}é/`.repeat(3_000) as T;
  if (Array.isArray(value)) return value.map(longer) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = new Set(['kind', 'by', 'in', 'what', 'why', 'limits']);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, kept.has(name) ? one : longer(one)]),
  ) as T;
}

test.each(sentences)('no notice is longer than 1 KiB: $kind', (notice) => {
  const long = longer(notice);
  expect(Buffer.byteLength(say(long))).toBeLessThanOrEqual(1024);
  expect(Buffer.byteLength(detailOf(long, wording).text)).toBeLessThanOrEqual(1022);
});

test('calls up to 4 KiB stay whole in every notice', () => {
  const call = `http://h/${'a'.repeat(2_000)}:641..`;
  const ofOne = sentences
    .map(([notice]) => notice)
    .filter((notice) => 'use' in notice && typeof notice.use === 'string');
  expect(ofOne.length).toBeGreaterThan(5);
  for (const notice of ofOne) {
    const short = say({ ...notice, use: 'x:641..' } as Notice);
    const said = say({ ...notice, use: call } as Notice);
    expect([said.includes(call), said.replace(call, 'x:641..')]).toStrictEqual([
      short.includes('x:641..'),
      short,
    ]);
  }
});

test('long words around a call are cut, the call not', () => {
  const use = `${'d/'.repeat(700)}a.txt:641..`;
  const said = say({ kind: 'said', text: `${'Because. '.repeat(300)}Use ${use} to go on`, use } as Notice);
  expect(said).toContain(`Use ${use} to go on`);
  expect(Buffer.byteLength(said)).toBeLessThanOrEqual(1024 + use.length);
});

test('an overlong call shows its end, and programs get all', () => {
  const use = `${'ä'.repeat(5_000)}:641..`;
  expect(say({ ...cut, use })).toMatch(
    /^\[Showing lines .*ä…\[\d+ characters left out\]…ä+:641\.\. to continue\]$/,
  );
  expect(callsOf(detailOf({ ...cut, use }, wording))).toStrictEqual([use]);
});

test('every reason for no structure has words', () => {
  expect(noStructure).toStrictEqual({
    language: 'files of this kind are not outlined',
    empty: 'no symbols were found in it',
    binary: 'it does not look like text',
    minified: 'it looks minified',
    size: 'it is over 4 MiB',
    long: 'it has over 20,000 lines or is over 2 MiB',
    dense: 'it would be no shorter',
    time: 'parsing it took too long',
    crash: 'its parser failed',
  });
});

test('a name cannot end the line of a notice', () => {
  expect(say({ kind: 'empty', target: 'a\n[b' })).toBe('[a\\n[b is empty: 0 lines]');
});

test('a dialect words a notice its way, for programs too', () => {
  const own: NoticeWording = { ...wording, empty: () => 'nothing' };
  expect(say({ kind: 'empty', target: 'f' }, own)).toBe('[nothing]');
  expect(detailOf({ kind: 'empty', target: 'f' }, own)).toStrictEqual({ kind: 'empty', text: 'nothing' });
});
