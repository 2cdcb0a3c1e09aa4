import { describe, expect, test } from 'vitest';
import { scanObjectiveC } from '../../../src/code/scanners/swift-objective-c.ts';
import { withoutLag } from '../../support/lag.ts';
import { scan } from '../../support/scan.ts';
import { structureOf } from '../../support/structure.ts';

const IMPORT = '#import <Foundation/Foundation.h>\n';

const scanned = (text: string): string[] => scan(scanObjectiveC, IMPORT + text);

describe('properties', () => {
  test.each([
    ['(nonatomic, copy) void (^handler)(int);', 'handler'],
    ['(copy) void (^_Nullable handler)(int, void (^)(BOOL));', 'handler'],
    ['(nonatomic) int (*call)(void);', 'call'],
    ['(copy) NSArray<void (^)(int)> *blocks;', 'blocks'],
    ['(nonatomic) int level __attribute__((deprecated("use depth; or (none")));', 'level'],
    ['int level NS_AVAILABLE_IOS(3_0) __attribute__((unused));', 'level'],
    ['(copy) void (^done)(int) API_AVAILABLE(ios(13.0), macos(10.15));', 'done'],
    ['(readonly) NSString *name UI_APPEARANCE_SELECTOR __deprecated; // not; here', 'name'],
    ['(nonatomic) BOOL IS_LIT;', 'IS_LIT'],
    ['(readonly) NSString *APP_NAME;', 'APP_NAME'],
    ['(nonatomic, getter=isLit) BOOL lit;', 'lit'],
  ])('%s', (declared, name) => {
    expect(scanned(`@interface A\n@property ${declared}\n@end\n`)).toEqual(['2-4 A', `3-3 ${name}`]);
  });
});

test('a method may return and take blocks', () => {
  const text = `@implementation A
- (void (^)(int))block {
  return ^(int a) {};
}
+ (nullable NSArray<void (^)(int)> *)blocks:(void (^)(int (^)(void)))first
{
  return nil;
}
@end
`;
  expect(scanned(text)).toEqual(['2-10 A', '3-5 block', '6-9 blocks']);
});

test('a section that ends in its first line holds nothing', () => {
  const text = `@interface B : NSObject @end
static int one(void) {
  return 1;
}
@protocol P @end
static int two(void) {
  return 2;
}
@interface C // until its @end
- (void)three;
@end
`;
  const found = scanObjectiveC((IMPORT + text).split('\n'));
  expect(found.map(({ kind, name, from, to }) => `${from}-${to} ${kind} ${name}`)).toEqual([
    '2-2 interface B',
    '3-5 function one',
    '6-6 trait P',
    '7-9 function two',
    '10-12 interface C',
    '11-11 method three',
  ]);
});

test('a section without an end ends before the next one', () => {
  const text = '@interface A\n- (void)a;\n@protocol B <C, D>\n@end\n@protocol E, F;\n';
  expect(scanned(text)).toEqual(['2-3 A', '3-3 a', '4-5 B']);
});

describe('other languages whose files end in .m', () => {
  const matlab = `function plotAll(x)
% PLOTALL  Plots all columns.
c = {1, 2};
for i = 1:numel(x)
  y(i) = scale (x(i));
end
end

function y = scale(x)
  # include this
  y = x';
  struct {
}
end
`;

  test('MATLAB has no symbols', async () => {
    expect(scan(scanObjectiveC, matlab)).toEqual([]);
    expect(await structureOf('plotAll.m', matlab)).toBe('empty');
  });

  test('`function` is no type', () => {
    expect(scanned(matlab)).toEqual([]);
  });

  test.each(['@class A;', '@import UIKit;', '# include "a.h"', '@protocol A;'])(
    '%s is Objective-C',
    (line) => {
      expect(scan(scanObjectiveC, `${line}\nint one(void) {\n}\n`)).toEqual(['2-3 one']);
    },
  );
});

/** Elements that the scanner reads of `lines`, and of what it makes of them with `map`. */
function readsOf(lines: readonly string[]): number {
  let reads = 0;
  const counted = (of: readonly string[]): readonly string[] =>
    new Proxy(of, {
      get: (target, key) => {
        if (key === 'map')
          return (each: (line: string) => string) => counted(target.map((line) => each(line)));
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  scanObjectiveC(counted(lines));
  return reads;
}

test.each([
  ['types without an end', 'enum {'],
  ['named types without an end', 'typedef struct {'],
  ['types that share an end', 'union {', '};'],
  ['methods without an end', '- (void)a {', ' }'],
  ['methods, each deeper than the one before', (i: number) => `${' '.repeat(i % 390)}- (void)a {`, '}'],
  ['heads without a body', 'int a('],
  ['sections without an end', '@interface A'],
  ['protocols that adopt several', '@protocol A <B, C>'],
  ['sections in one line', '@interface A @end'],
])('the work is linear: %s', (_, row, last = '') => {
  const rows = (count: number): string[] => [
    '#import "a.h"',
    ...Array.from({ length: count }, (__, i) => (typeof row === 'string' ? row : row(i))),
    last,
  ];
  expect(readsOf(rows(4_000))).toBeLessThan(4.1 * readsOf(rows(1_000)));
  expect(readsOf(rows(1_000))).toBeLessThan(100_000);
});

test.each([
  ['a gap in a head', `int a(\nint b${' '.repeat(200_000)}c) {\n}\n`],
  ['a name before a line separator', `@interface A\n@interface ${'a'.repeat(200_000)}\u2028\n`],
])('hostile: %s', async (_, text) => {
  await withoutLag(() => Promise.resolve(scanned(text)));
});
