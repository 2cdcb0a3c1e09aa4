/** What a class is made from, as its signature says it. */

import { expect, test } from 'vitest';
import { basesIn } from '../../../src/code/codebase/find.ts';

test.each([
  ['export class A<T> extends ns.B<Map<T, C>> implements D, E<T> {', ['B', 'D', 'E']],
  ['export interface A extends B, C<string>', ['B', 'C']],
  ['class A(B, abc.C):', ['B', 'C']],
  ['class A:', []],
  ['class A : public ns::B, private C', ['B', 'C']],
  ['public class A<T> : B, IC<T>', ['B', 'IC']],
  ['class A < Net::B', ['B']],
  ['class A', []],
  ['function extended(a: string): void', []],
])('%s', (signature, bases) => {
  expect(basesIn(signature)).toEqual(bases);
});
