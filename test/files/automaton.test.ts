import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { GlobAutomaton, anyDepthTokens, pathTokens, textTokens } from '../../src/files/automaton.ts';

const accepted = (automaton: GlobAutomaton, text: string): readonly number[] =>
  automaton.accepted(automaton.run(automaton.start, text));

test('returns the patterns that match, the last one first', () => {
  const automaton = new GlobAutomaton(['*.ts', 'a*', 'src/**', '[!a]?.ts'].map(anyDepthTokens));
  expect(accepted(automaton, 'ab.ts')).toEqual([1, 0]);
  expect(accepted(automaton, 'lib/bc.ts')).toEqual([3, 0]);
  expect(accepted(automaton, '')).toEqual([]);
});

test('matches a text that arrives in parts', () => {
  const automaton = new GlobAutomaton([pathTokens('src/**/*.ts')]);
  const below = automaton.run(automaton.run(automaton.start, 'src/'), 'deep/');
  expect(automaton.accepted(automaton.run(below, 'a.ts'))).toEqual([0]);
  expect(automaton.accepted(automaton.run(below, 'a.js'))).toEqual([]);
  expect(automaton.isDead(below)).toBe(false);
  expect(automaton.isDead(automaton.run(automaton.start, 'lib/'))).toBe(true);
});

test('without patterns nothing matches', () => {
  const none = new GlobAutomaton([]);
  expect(none.matches('a')).toBe(false);
  expect(none.isDead(none.start)).toBe(true);
});

test('patterns stay separate across the words of the bit set', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[ab*?]{0,40}$/), { minLength: 1, maxLength: 8 }),
      fc.stringMatching(/^[ab]{0,40}$/),
      (patterns, text) => {
        const automaton = new GlobAutomaton(patterns.map(pathTokens));
        const alone = patterns.flatMap((pattern, i) => (simply(pattern).test(text) ? [i] : []));
        expect(accepted(automaton, text)).toEqual(alone.toReversed());
      },
    ),
    { numRuns: 500 },
  );
});

function simply(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/\*+/g, '*').replaceAll('?', '.').replaceAll('*', '.*')}$`);
}

test('the state cache is bounded, and eviction changes no result', () => {
  const long = 'x'.repeat(2000);
  const automaton = new GlobAutomaton([textTokens(long), pathTokens('?*!'), pathTokens(`*${long}`)]);
  const held = automaton.run(automaton.start, 'x');
  for (let code = 0x4e00; code < 0x9e00; code += 1) automaton.run(held, String.fromCodePoint(code));
  expect(automaton.accepted(automaton.run(held, 'y!'))).toEqual([1]);
  expect(automaton.accepted(automaton.run(held, long.slice(1)))).toEqual([2, 0]);
});

test('matches by code points', () => {
  expect(new GlobAutomaton([pathTokens('?')]).matches('😀')).toBe(true);
  expect(new GlobAutomaton([pathTokens('[😀-😂]')]).matches('😁')).toBe(true);
});
