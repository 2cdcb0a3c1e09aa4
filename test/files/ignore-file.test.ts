import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/commands.ts';
import { fc, seedOfRun } from '../support/properties.ts';
import { IgnoreFile, type IgnoreVerdict } from '../../src/files/glob.ts';

/** What the file says of a path, or of the first directory above it that it leaves out. */
function verdictOf(rules: string, path: string): IgnoreVerdict | undefined {
  const file = new IgnoreFile(rules);
  const names = path.replace(/\/$/, '').split('/');
  let last: IgnoreVerdict | undefined;
  for (const i of names.keys()) {
    const isDirectory = i < names.length - 1 || path.endsWith('/');
    last = file.verdict(names.slice(0, i + 1).join('/'), isDirectory);
    if (last === 'ignored') return last;
  }
  return last;
}

test.each<[string, string, IgnoreVerdict | undefined]>([
  ['a', 'a', 'ignored'],
  ['a', 'd/a', 'ignored'],
  ['a', 'ab', undefined],
  ['a/', 'a', undefined],
  ['a/', 'a/', 'ignored'],
  ['a/', 'a/b', 'ignored'],
  ['/a', 'd/a', undefined],
  ['d/a', 'd/a', 'ignored'],
  ['d/a', 'x/d/a', undefined],
  ['**/d/a', 'x/d/a', 'ignored'],
  ['d/**', 'd/', undefined],
  ['d/**', 'd/x/y', 'ignored'],
  ['d/**/a', 'd/a', 'ignored'],
  ['d/**/a', 'd/x/y/a', 'ignored'],
  ['d/***', 'd/x/y', 'ignored'],
  ['***/a', 'd/x/a', 'ignored'],
  ['d**/a', 'dx/a', 'ignored'],
  ['d**/a', 'dx/y/a', undefined],
  ['*.log', 'd/x.log', 'ignored'],
  ['*.log\n!keep.log', 'keep.log', 'kept'],
  ['!keep.log\n*.log', 'keep.log', 'ignored'],
  ['# a\n\n', 'a', undefined],
  [String.raw`\#a`, '#a', 'ignored'],
  [String.raw`\!a`, '!a', 'ignored'],
  ['a   ', 'a', 'ignored'],
  [String.raw`a\ `, 'a ', 'ignored'],
  ['a\r', 'a', 'ignored'],
  ['\ufeffa', 'a', 'ignored'],
  ['[ab]c', 'bc', 'ignored'],
  ['[!ab]c', 'bc', undefined],
  ['[[:alpha:]_].txt', 'Q.txt', 'ignored'],
  ['[[:alpha:]_].txt', '7.txt', undefined],
  ['[![:space:][:digit:]]', 'a', 'ignored'],
  ['[![:space:][:digit:]]', '7', undefined],
  [String.raw`[\]x]y`, ']y', 'ignored'],
  [String.raw`[a\-z]`, 'm', undefined],
  [String.raw`[a\-z]`, '-', 'ignored'],
  ['[a-]', '-', 'ignored'],
  ['{a,b}', 'a', undefined],
  ['é?', 'é日', 'ignored'],
  ['/', 'a', undefined],
  ['!', 'a', undefined],
  ['a\ufeff', 'a\ufeff', 'ignored'],
  ['a\na/', 'a', 'ignored'],
  ['a/\n!a', 'a', 'kept'],
  ['!d/a\na', 'd/a', 'ignored'],
  ['a\n!d/a', 'd/a', 'kept'],
  ['a*\n!d/a', 'd/a', 'kept'],
  ['!d/a\na*', 'd/a', 'ignored'],
  ['!b*\n*a*\n*c*/', 'ba', 'ignored'],
  ['a*/\n*b', 'ab', 'ignored'],
  ['/d/*', 'd/a', 'ignored'],
  ['   ', 'a', undefined],
  [String.raw`a\  `, 'a ', 'ignored'],
  [String.raw`a\\b`, String.raw`a\b`, 'ignored'],
])('%j on %s: %s', (rules, path, verdict) => {
  expect(verdictOf(rules, path)).toBe(verdict);
});

test('comments, and rules without a name, are no rules', () => {
  const rules: string[] = [];
  const file = new IgnoreFile('\n# a\n/\n!\n!/\n \nb\n!c/', ({ pattern }) => void rules.push(pattern));
  expect([rules, file.verdict('b', false)]).toEqual([['b', 'c'], 'ignored']);
});

test.each([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[\t ]/],
  ['cntrl', /[\0-\x1f\x7f]/],
  ['digit', /\d/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[\da-fA-F]/],
])('[[:%s:]] is %s', (name, expected) => {
  const file = new IgnoreFile([`x[[:${name}:]]x`]);
  const characters = Array.from({ length: 200 }, (_, code) => String.fromCharCode(code)).filter(
    (one) => one !== '/',
  );
  expect(characters.filter((one) => file.verdict(`x${one}x`, false))).toEqual(
    characters.filter((one) => expected.test(one)),
  );
});

test.runIf(spawnSync('git', ['--version']).status === 0)(
  'agrees with git on any rules and paths',
  { tags: 'slow' },
  () => {
    // Without `b**`: behind plain characters git itself takes two stars for a whole `**`, against gitignore(5).
    const part = fc
      .stringMatching(/^(\*\*|[ab*?.]{1,4}|\[ab\]|\[!a\]b?|\[\[:alpha:\]\.\]|\[!\\\]a\])$/)
      .filter((one) => !/[ab.]\*\*/.test(one));
    const rule = fc
      .tuple(
        fc.constantFrom('', '!'),
        fc.constantFrom('', '/'),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '/'),
      )
      .map(([not, front, parts, end]) => not + front + parts.join('/') + end);
    const path = fc.array(fc.stringMatching(/^[ab]{1,3}$/), { minLength: 1, maxLength: 4 });
    const repository = temporaryFolder();
    spawnSync('git', ['init', '-q', repository]);
    // A directory for each, with rules of its own, so that one process answers for all.
    const cases = fc
      .sample(
        fc.record({
          rules: fc.array(rule, { minLength: 1, maxLength: 4 }).map((rules) => rules.join('\n')),
          paths: fc.array(path, { minLength: 1, maxLength: 12 }),
        }),
        { numRuns: 300, seed: seedOfRun },
      )
      .map(({ rules, paths }, i) => ({ at: `${i}`, rules, paths: paths.map((names) => names.join('/')) }));
    for (const { at, rules } of cases) {
      mkdirSync(join(repository, at));
      writeFileSync(join(repository, at, '.gitignore'), `${rules}\n`);
    }
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
      cwd: repository,
      input: cases.flatMap(({ at, paths }) => paths.map((one) => `${at}/${one}\n`)).join(''),
      encoding: 'utf8',
    });
    const ignored = new Set(stdout.split('\n'));
    expect(ignored.size).toBeGreaterThan(1);
    for (const { at, rules, paths } of cases) {
      for (const one of paths)
        expect([rules, one, verdictOf(rules, one) === 'ignored']).toEqual([
          rules,
          one,
          ignored.has(`${at}/${one}`),
        ]);
    }
  },
);

test('the cost of a million characters of rules is linear', { tags: 'slow' }, () => {
  const rules = new IgnoreFile(`${'*a'.repeat(100)}b\n`.repeat(500));
  let steps = 0;
  for (let i = 0; i < 200; i += 1) if (rules.verdict('a'.repeat(255), false) === undefined) steps += 1;
  expect(steps).toBe(200);
});
