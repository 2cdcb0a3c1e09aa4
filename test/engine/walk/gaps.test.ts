import { expect, test } from 'vitest';
import { GapsSeen } from '../../../src/engine/walk/gaps.ts';

const fine = { code: 0, stderr: '', timedOut: false, outOfMemory: false };
const none = { timedOut: false, denied: false, tooDeep: false, tooMany: false, unnamed: 0 };

test('what ripgrep says on stderr becomes facts, and stays', () => {
  const gaps = new GapsSeen();
  gaps.note(fine);
  expect(gaps.facts).toEqual(none);
  gaps.note({ ...fine, code: 2, stderr: 'rg: ./a: Permission denied (os error 13)\n' });
  gaps.note({ ...fine, code: 2, stderr: 'rg: ./d/d: File name too long (os error 36)\n' });
  gaps.note({ ...fine, timedOut: true });
  gaps.note(fine);
  expect(gaps.facts).toEqual({ ...none, denied: true, tooDeep: true, timedOut: true });
});
