import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkGlobSyntax, validGlob } from '../../src/files/glob-text.ts';
import { ripgrepPath } from '../../src/process/ripgrep.ts';
import { temporaryFolder } from '../support/commands.ts';
import { fc, isLongRun, seedOfRun } from '../support/properties.ts';

const refusal = (glob: string): { readonly message: string; readonly next: string } | undefined => {
  try {
    checkGlobSyntax(glob, 'glob');
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    return error as { message: string; next: string };
  }
};

test.each([
  ['[', '[ is not a valid glob: [ at character 1 is not closed. Use glob \\[.'],
  ['src/[a', 'src/[a is not a valid glob: [ at character 5 is not closed. Use glob src/\\[a.'],
  ['a[]', 'a[] is not a valid glob: [ at character 2 is not closed. Use glob a\\[].'],
  ['[!]', '[!] is not a valid glob: [ at character 1 is not closed. Use glob \\[!].'],
  ['{*.ts', '{*.ts is not a valid glob: { at character 1 is not closed. Use glob {*.ts}.'],
  ['{a,b', '{a,b is not a valid glob: { at character 1 is not closed. Use glob {a,b}.'],
  ['{a,{b', '{a,{b is not a valid glob: { at character 1 is not closed. Use glob {a,{b}}.'],
  ['a{', 'a{ is not a valid glob: { at character 2 is not closed. Use glob a\\{.'],
  ['a}', 'a} is not a valid glob: } at character 2 closes nothing. Use glob a\\}.'],
  ['*.ts,!{x', '*.ts,!{x is not a valid glob: { at character 7 is not closed. Use glob *.ts,!{x}.'],
  ['!{a,b', '!{a,b is not a valid glob: { at character 2 is not closed. Use glob !{a,b}.'],
  ['{[a,b}', '{[a,b} is not a valid glob: [ at character 2 is not closed. Use glob {\\[a,b}.'],
  ['a\\', 'a\\ is not a valid glob: \\ at character 2 escapes nothing. Use glob a\\\\.'],
  ['', 'The glob is empty. Use glob **.'],
])('%j is refused', (glob, message) => {
  const { next = '', ...refused } = refusal(glob) ?? {};
  expect({ ...refused, message: refusal(glob)?.message }).toMatchObject({ message });
  expect(message.endsWith(` Use glob ${next}.`)).toBe(true);
  expect(refusal(next)).toBeUndefined();
});

test.each([
  ...'* ** [!a] [^a] []a] [a-z] {a,b} {a,{b,c}} {}'.split(' '),
  '\\[',
  '\\{a',
  '[{]',
  'a]',
  '!*.ts',
  '!(a)',
  'app/[id]/[[...rest]].tsx',
  'app/[post-id]/page.tsx',
])('%s is accepted', (glob) => expect(refusal(glob)).toBeUndefined());

test('a valid glob stays, another one is mended', () => {
  for (const glob of ['a/*.ts', '[!a]b', 'a[', '{a']) {
    const refused = refusal(glob);
    expect(validGlob(glob)).toBe(refused ? refused.next : glob);
  }
  expect(validGlob('')).toBe('');
});

test('a hostile glob is refused quickly with a valid one', { tags: 'slow' }, () => {
  for (const part of ['[', '{', '}', '{,', '[!'])
    expect(refusal(part.repeat(200_000))?.message).toMatch(/ Use glob \*\*\.$/);
});

test('refuses what ripgrep refuses, except ranges that run backwards', { tags: 'slow' }, () => {
  const cwd = temporaryFolder();
  const fault = (glob: string): string | undefined => {
    const { stderr } = spawnSync(ripgrepPath(), ['--files', '-g', glob], { cwd, encoding: 'utf8' });
    return /error parsing glob .*: (.*)/.exec(stderr)?.[1];
  };
  const character = fc.constantFrom('[', ']', '{', '}', '!', '^', ',', '\\', '*', 'a', '-', '/');
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 8 }), (glob) => {
      // ripgrep removes a slash at the end first, so that the backslash before it escapes nothing.
      if (glob.endsWith('\\/')) return;
      const theirs = fault(glob);
      if (theirs?.includes('invalid range')) return;
      const ours = refusal(glob);
      expect({ glob, refused: ours !== undefined }).toEqual({ glob, refused: theirs !== undefined });
      if (ours) expect(fault(ours.next)?.replace(/^invalid range.*/, '') ?? '').toBe('');
    }),
    { numRuns: isLongRun ? 1_000 : 80, seed: seedOfRun },
  );
});
