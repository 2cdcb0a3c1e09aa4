import { expect, test } from 'vitest';
import { GapsSeen } from '../../src/walk/gaps.ts';

const none = new GapsSeen().facts;

test('gaps add up and can be reset', () => {
  const gaps = new GapsSeen();
  gaps.add({ ...none, denied: true, rules: 2 });
  gaps.add({ ...none, tooDeep: true, rules: 1 });
  gaps.add(none);
  expect(gaps.facts).toEqual({ ...none, denied: true, tooDeep: true, rules: 3 });
  gaps.clear();
  expect(gaps.facts).toEqual(none);
});
