import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import {
  type JsonPath,
  JsonError,
  JsonScanner,
  parseDataPath,
  ValueFinder,
  type JsonVisitor,
  type JsonSpan,
} from '../../../src/formats/data/json-scan.ts';

/** Pushes `text` in pieces of `size` bytes. */
function scan(text: string | Buffer, visitor: JsonVisitor, size = 1 << 20): void {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(visitor);
  const piece = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    // One buffer for all pieces, as a reader would use it: what is kept must have been copied.
    scanner.push(piece.subarray(0, bytes.copy(piece, 0, at, at + size)));
  }
  scanner.end();
}

type Event = readonly [path: JsonPath, value: unknown, span: JsonSpan];

function events(text: string | Buffer, want: JsonVisitor['want'], size?: number): Event[] {
  const found: Event[] = [];
  scan(text, { want, value: (path, value, span) => found.push([[...path], value, span]) }, size);
  return found;
}

function failure(text: string | Buffer): JsonError {
  try {
    events(text, () => 'skip');
  } catch (error) {
    if (error instanceof JsonError) return error;
  }
  throw new Error('it was accepted');
}

describe('finding values', () => {
  const text = '{"a": [1, {"b": "x\\n"}], "c": null}';

  test('returned completely', () => {
    expect(events(text, () => 'take')).toEqual([
      [[], { a: [1, { b: 'x\n' }], c: null }, { start: 0, end: text.length }],
    ]);
  });

  test('entered, with their paths and positions', () => {
    expect(events(text, () => 'enter')).toEqual([
      [['a', 0], 1, { start: 7, end: 8 }],
      [['a', 1, 'b'], 'x\n', { start: 16, end: 21 }],
      [['c'], null, { start: 30, end: 34 }],
    ]);
  });

  test('skipped', () => {
    expect(events(text, (path) => (path.length === 0 ? 'enter' : 'skip'))).toEqual([
      [['a'], undefined, { start: 6, end: 23 }],
      [['c'], undefined, { start: 30, end: 34 }],
    ]);
  });

  test('a byte order mark and NaN are accepted', () => {
    expect(events('\ufeff[NaN, -Infinity, 2]', () => 'enter').map(([, value]) => value)).toEqual([
      undefined,
      undefined,
      2,
    ]);
  });

  test('a value over 8 MiB is located, but not kept', () => {
    const long = JSON.stringify(['x'.repeat(9 << 20), 'y']);
    expect(events(long, () => 'enter').map(([path, value]) => [path, value])).toEqual([
      [[0], undefined],
      [[1], 'y'],
    ]);
  });
});

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value));
  const size = fc.integer({ min: 1, max: 12 });

  test('any valid JSON has the value that JSON.parse gives', () => {
    fc.assert(
      fc.property(json, size, (text, pieces) => {
        const [[, value, span] = []] = events(text, () => 'take', pieces);
        expect(value).toEqual(JSON.parse(text));
        expect(span).toEqual({ start: 0, end: Buffer.byteLength(text) });
      }),
    );
  });

  test('every reported span contains exactly its value', () => {
    fc.assert(
      fc.property(json, size, (text, pieces) => {
        const bytes = Buffer.from(text);
        for (const [, value, { start, end }] of events(text, () => 'enter', pieces)) {
          expect(JSON.parse(bytes.toString('utf8', start, end))).toEqual(value);
        }
      }),
    );
  });

  test('every prefix of a container is truncated at its end', () => {
    fc.assert(
      fc.property(
        json.filter((text) => /^[[{]/.test(text)),
        fc.nat(),
        (text, at) => {
          const bytes = Buffer.from(text);
          const cut = bytes.subarray(0, at % bytes.length);
          const { offset, message } = failure(cut);
          if (message === 'it ends too early') expect(offset).toBe(cut.length);
          else expect(offset).toBeLessThanOrEqual(cut.length);
        },
      ),
    );
  });

  test('any bytes are accepted, or refused at an offset inside', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          events(Buffer.from(bytes), () => 'enter');
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
          expect((error as JsonError).offset).toBeLessThanOrEqual(bytes.length);
        }
      }),
    );
  });
});

describe('invalid JSON', () => {
  test.each([
    ['', 0, 'it ends too early'],
    ['{"a": "b', 8, 'it ends too early'],
    ['[1, 2', 5, 'it ends too early'],
    ['{"a" 1}', 5, "it has '1' where a colon should be"],
    ['{"a": 1,}', 8, "it has '}' where a key should be"],
    ['[1,]', 3, "it has ']' where a value should be"],
    ['[1 2]', 3, "it has '2' where a comma or an end should be"],
    ['[1}', 2, 'it has an unexpected }'],
    ['{} {}', 3, "it has '{' where nothing should be"],
    ['["a\nb"]', 3, 'it has byte 0x0a inside a string'],
    ['[01]', 1, 'it has an invalid value'],
    ['[nul]', 1, 'it has an invalid value'],
    ['\xff\xfe[\0]\0', 0, 'it has byte 0xc3 where a value should be'],
  ])('%j', (text, offset, message) => {
    expect(failure(text)).toMatchObject({ offset, message });
  });

  test('a million brackets are refused at low cost', () => {
    expect(failure('['.repeat(1e6))).toMatchObject({ offset: 1000, message: 'it is nested too deep' });
  });

  test('a number without an end', () => {
    expect(failure(`[${'1'.repeat(5000)}]`)).toMatchObject({ message: 'it has a number without an end' });
  });
});

test.each([
  ['{"a":{"b":1},"a":{"b":2}}', 'a.b', '2'],
  ['{"a":{"b":1},"a":{"c":2}}', 'a.b', undefined],
  ['{"a":{"b":1},"a":3}', 'a.b', undefined],
  ['{"a":[1,2],"a":[3]}', 'a[1]', undefined],
])('of keys that are repeated in %s the last counts for %s', (text, path, value) => {
  const finder = new ValueFinder(parseDataPath(path) ?? []);
  finder.scanner.push(Buffer.from(text));
  finder.scanner.end();
  expect(finder.found && text.slice(finder.found.start, finder.found.end)).toBe(value);
});
