import { expect, test } from 'vitest';
import { scanSwift } from '../../../src/code/scanners/swift-objective-c.ts';
import { scan } from '../../support/scan.ts';

test('declarations in strings and nested comments are text', () => {
  const text = `/* func a() { /* func b() {} */ func c() {} */
let s = "func d() {" // func e() {}
let t = """
func f() {
"""
func real() {
}
`;
  expect(scan(scanSwift, text)).toEqual(['6-7 real']);
});

test('a header over several lines; requirements without a body', () => {
  const text = `protocol P {
  func one()
  func two(
    a: Int
  ) -> Int
  var x: Int { get }
}
public final class Q<T>: R
  where T: P
{
  init() {}
}
`;
  expect(scan(scanSwift, text)).toEqual(['1-7 P', '2-2 one', '3-3 two', '6-6 x', '8-12 Q', '11-11 init']);
});

test('braces that never close reach to the end', () => {
  expect(scan(scanSwift, 'class A {\n  func b() {\n')).toEqual(['1-2 A', '2-2 b']);
});
