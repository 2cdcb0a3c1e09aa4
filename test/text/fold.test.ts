/** Runs of equal lines in the output of a command: what is folded, what never is, and that nothing is lost. */

import { describe, expect, test } from 'vitest';
import { foldedLines, foldedRuns, MAX_COMPARED_LINES, type StoredLine } from '../../src/text/fold.ts';
import { fc } from '../support/properties.ts';

/** The lines of a text, the last first. */
function backwards(text: string): StoredLine[] {
  const lines: StoredLine[] = [];
  let start = 0;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const bytes = Buffer.from(line);
    lines.unshift({ bytes, start, end: start + bytes.length, whole: true });
    start += bytes.length;
  }
  return lines;
}

/** What is shown, in order: a line, or `N× line`. */
const shown = (text: string): string[] =>
  [...foldedRuns(backwards(text), 'equal and steps')]
    .reverse()
    .map(({ bytes, folded }) => (folded ? `${folded}× ` : '') + Buffer.from(bytes).toString().trimEnd());

const each = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${line(i + 1)}\n`).join('');

describe('a run of 30 lines is folded', () => {
  test.each([
    ['equal lines', () => 'waiting for the database'],
    ['a percentage', (i: number) => `Receiving objects: ${i}%`],
    ['a part of a total', (i: number) => `Step ${i}/30`],
    ['sizes with a total', (i: number) => `Downloading foo ${i}.5 MB / 40 MB`],
    ['a part that could be a year', (i: number) => `step ${1_999 + i}/5000`],
    ['a part with a year in it', (i: number) => `rows ${12_000 + i}/90000 were read`],
    ['a time left', (i: number) => `building, ${30 - i}s left`],
    ['an error, equal to the letter', () => 'ERROR: connection lost, next attempt'],
  ])('%s', (_, line) => {
    expect(shown(`begin\n${each(30, line)}end\n`)).toEqual(['begin', `30× ${line(30)}`, 'end']);
  });
});

describe('lines that report steps are a run', () => {
  const expectTwoRuns = (line: (i: number) => string): void => {
    const found = shown(`begin\n${each(30, line)}error: it broke\n${each(30, line)}`);
    expect(found.filter((one) => /^\d+× /.test(one))).toHaveLength(2);
    expect(found.filter((one) => !/^\d+× |^$/.test(one))).toEqual(['begin', 'error: it broke']);
  };

  test.each([
    ['npm', (i: number) => `npm http fetch GET 200 https://registry.example/p${i} ${i}ms (cache miss)`],
    ['cargo', (i: number) => `   Compiling crate-${i} v1.${i}.0`],
    ['pytest', (i: number) => `test_x.py::test_a[${i}] PASSED                    [ ${i}%]`],
    ['tsc, with blank lines', (i: number) => `03:57:53 PM - Building project 'p${i}/tsconfig.json'...\n`],
    ['git', (i: number) => `Receiving objects:  ${i}% (${i}/90), ${i}.50 MiB | ${i}.00 MiB/s`],
    ['docker', (i: number) => `#7 sha256:${'ab'.repeat(32)} ${i}.1MB / 28.2MB ${i}.3s`],
    ['a step of docker', (i: number) => `#12 ${i}.345 Unpacking git-${i} (1:2.39-${i}) ...`],
    ['in its last state', (i: number) => `\x1b[2K\ra\r\x1b[32mok\x1b[0m ${i} - adds`],
  ])('%s', (_, line) => expectTwoRuns(line));

  test.each([
    'npm http cache pkg-~ 200',
    'npm silly fetch manifest p~',
    'npm timing idealTree:~ Completed in ~ms',
    'Progress: resolved ~, reused 0, downloaded ~, added 0',
    'Collecting p~ (from flask)',
    '  Installing build dependencies for pkg-~.tar.gz',
    'Collecting pkg.[a-b]-~',
    'Requirement already satisfied: p~ in /usr/lib',
    '  Using cached p~-1.whl (12.3 kB)',
    '  Created wheel for p~: filename=p~.whl',
    '   \u2501\u2501\u2578 ~.1/30.5 MB 9.1 MB/s',
    'Get:~ http://deb.example stable/main amd64 p~ [9 kB]',
    'Selecting previously unselected package p~.',
    'Setting up p~ (1.~) ...',
    'Using rake 13.~.0',
    '[INFO] Downloading from central: https://repo.example/p~.pom',
    '> Task :app:compile~Java UP-TO-DATE',
    '  Downloading ~ crates',
    '  CC      src/p~.o',
    '[ ~%] Building C object p~.o',
    '[~/90] Linking CXX p~.so',
    '-- Looking for p~.h',
    'checking for p~.h... yes',
    '12:00:~ - Updating p~',
    'test p~ ... ok',
    '=== RUN   Test~',
    '    --- PASS: Test~ (0.~s)',
    'a_test.py ....s   [ ~%]',
    'ok  \tpkg/p~\t0.~s',
    '?   \tpkg/p~\t[no test files]',
    'PASS src/p~.test.js',
    '  \u2713 adds ~ and ~',
    'remote: Counting objects: ~% (~/90)',
    ' * [new branch]      b~ -> origin/b~',
    ' create mode 100644 p~',
    'abcdef012345: Pull complete',
    '#7 [internal] load p~',
    '#7 DONE ~.1s',
  ])('also %s', (line) => expectTwoRuns((i) => line.replaceAll('~', String(i + 9))));

  test.each([
    'npm info run esbuild@0.18.0 postinstall { code: 1, signal: null }',
    'npm verbose signal SIGTERM',
    'checking for libssl... no',
    'checking for stdbit.h... (cached) no',
    'ok  \tpkg/a\t0.5s\tcoverage: 12.3% of statements',
    'ok 3 - draws # SKIP no display',
    '\u2713 sends the mail (retry #2)',
    '[50/90] Linking CXX a.so (duplicate symbol _x)',
    '[51/90] Running the checks \u274c',
    'npm verbose code: EACCES',
    'npm verbose exited with 1',
    'npm info cache is corrupt',
    'npm timing deadlock:here',
    'npm http cache a 404 Not',
    'npm info no such package',
    'npm info timed out',
    'npm info unknown option',
    'npm info OOM!',
    'npm info tests: ..F.',
    'checking for x: no',
    'ok 3 - draws # TODO later',
    '   Compiling warn-9 v1.9.0',
    'PASS src/fail.test.js',
  ])('except %s', (line) => {
    const steps = each(30, (i) => `   Compiling crate-${i} v1.${i}.0`).trimEnd();
    expect(shown(`${steps}\n${line}\n${steps}\n`)).toContain(line);
  });

  test('not those of a tool that searches', () => {
    expect(foldedLines('cargo build && cat x.log')).toBe('equal and steps');
    expect(foldedLines('grep -rn PASSED logs')).toBe('equal');
    expect(foldedLines('/usr/bin/egrep -rn PASSED logs')).toBe('equal');
    expect(foldedLines('git -C lib --no-pager log --summary')).toBe('equal');
    const searches = [
      'fgrep a',
      'zgrep a',
      'rg a',
      'ag a',
      'awk a',
      'sed a',
      'find .',
      'fd a',
      'ls',
      'tree',
      'jq .',
    ].concat(
      ['yq .', 'diff a b', 'nl a', 'bat a', 'git diff', 'git  show', 'git log', 'git blame a', 'git grep a'],
      [
        'git cat-file -p a',
        'git ls-files',
        'git stash show',
        'git -c a=b -C d --no-pager -p log',
        'a;ls',
        'a|rg b',
      ],
      ['(ls .)', 'a&&fd b', 'cd x\nls'],
    );
    expect(searches.filter((command) => foldedLines(command) !== 'equal')).toEqual([]);
    const others = [
      'lsof',
      'xls a',
      'grepx a',
      'git clone x',
      'gitlog',
      'git stash pop',
      'git',
      'git x log',
      'cargo test ls.rs',
    ];
    expect(others.filter((command) => foldedLines(command) !== 'equal and steps')).toEqual([]);
  });
});

describe('is shown line for line', () => {
  test.each([
    ['few steps', (i: number) => (i > 3 ? '' : `   Compiling crate-${i} v1.${i}.0 (/home/me/src/it/${i})`)],
    ['a step that tells of a problem', (i: number) => `test_x.py::test_error[${i}] PASSED [ ${i}%]`],
    ['a download that was refused', (i: number) => `npm http fetch GET 404 https://registry.example/p${i}`],
    ['any other number', (i: number) => `listening on port ${3_000 + i}`],
    ['a number beside a percentage', (i: number) => `Receiving objects: ${i}%, ${i * 3} MiB/s`],
    ['another total', (i: number) => `file ${i} of ${i + 10}`],
    ['a date', (i: number) => `2026/11/${i} all is well with us`],
    ['a year and a month', (i: number) => `report of ${i + 2000}/11 is all that we have`],
    ['a month', (i: number) => `invoices of ${i}/2024 were paid`],
    ['networks', (i: number) => `  - 10.${i}.0.0/16`],
    ['a part above its total', (i: number) => `ratio ${i + 30}/30 is what was measured`],
    ['warnings with counters', (i: number) => `warning: ${i}/30 symbols are not documented`],
    ['failures with counters', (i: number) => `${i}/30 test cases failed in this module`],
    ['an address with a colon', (i: number) => `connected to host:${i}/30 at the first attempt`],
  ])('%s', (_, line) => {
    expect(shown(each(30, line)).filter((one) => /^\d+× /.test(one))).toEqual([]);
  });

  test('a run that is shorter than its notice', () => {
    expect(shown('\n\n\n\na\na\n')).toEqual(['', '', '', '', 'a', 'a']);
  });

  test('a line that was captured in part', () => {
    const [last, ...others] = backwards('x'.repeat(200).concat('\n').repeat(3));
    const lines = [last, others[0], { ...others[1], whole: false }] as StoredLine[];
    expect([...foldedRuns(lines, 'equal')].map(({ folded }) => folded)).toEqual([2, undefined]);
  });
});

test('no byte is in two lines, and none is lost', () => {
  const line = fc.constantFrom(
    '',
    'a',
    'a'.repeat(90),
    '1/9 done',
    '2/9 done',
    'error 1%',
    'ok 1 - it adds two',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.integer({ min: 1, max: 40 })), { maxLength: 12 }), (runs) => {
      const text = runs.map(([word, count]) => `${word}\n`.repeat(count)).join('');
      const lines = [...foldedRuns(backwards(text), 'equal and steps')].reverse();
      let at = 0;
      for (const { start, end, bytes, folded = 1 } of lines) {
        expect(start).toBe(at);
        expect(text.slice(start, end).match(/\n/g)).toHaveLength(folded);
        expect(text.slice(end - bytes.length, end)).toBe(Buffer.from(bytes).toString());
        at = end;
      }
      expect(at).toBe(text.length);
    }),
  );
});

test('a bounded number of lines is compared', () => {
  const [run] = foldedRuns(backwards('y\n'.repeat(30_000)), 'equal');
  expect(run).toMatchObject({ folded: MAX_COMPARED_LINES, start: 20_000, end: 60_000 });
});
