import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fc } from '../support/properties.ts';
import { assemble } from '../../scripts/wasm.mjs';
import {
  countNewlines,
  createScanner,
  newlinesInBytes,
  newlinesInUnits,
  PlainScanner,
  SCAN_BUFFER,
  SimdScanner,
  withScanner,
} from '../../src/text/encoding.ts';
import { scanWasm } from '../../src/text/scan-wasm.ts';

const simd = createScanner();
const plain = new PlainScanner();

/** Bytes in which newlines are common enough to fall everywhere. */
const bytes = fc
  .array(fc.constantFrom(10, 10, 13, 0, 255, 97), { minLength: 0, maxLength: 9000 })
  .map((values) => Uint8Array.from(values));

test('the embedded module is scan.wat', async () => {
  expect(scanWasm).toBe(await assemble());
});

test('this machine scans by SIMD', () => {
  expect(simd).toBeInstanceOf(SimdScanner);
});

describe('SIMD and plain scanning agree', () => {
  test('on counts, at every alignment', () => {
    fc.assert(
      fc.property(bytes, fc.nat(70), (content, shift) => {
        const place = (scanner: SimdScanner | PlainScanner): number => {
          const at = scanner.buffers[0].subarray(shift, shift + content.length);
          at.set(content);
          return scanner.count(at);
        };
        const expected = content.filter((byte) => byte === 10).length;
        expect([place(simd), place(plain), simd.count(content), newlinesInBytes.count(content)]).toEqual(
          Array.from({ length: 4 }, () => expected),
        );
      }),
    );
  });

  test('on a full buffer of newlines', () => {
    simd.buffers[0].fill(10);
    expect(simd.count(simd.buffers[0])).toBe(SCAN_BUFFER);
  });

  test('counting other bytes leaves the buffers as they are', () => {
    for (const buffer of simd.buffers) buffer.fill(10);
    expect(simd.count(Buffer.alloc(100_000))).toBe(0);
    expect(simd.buffers.map((buffer) => simd.count(buffer))).toEqual([SCAN_BUFFER, SCAN_BUFFER]);
  });
});

test('code units: a 0x0A inside another character is no newline', () => {
  const text = 'a\n\u0a0a\u010a\ud80a\udc0a\n';
  const little = Buffer.from(text, 'utf16le');
  expect(newlinesInUnits(2, false).count(little)).toBe(2);
  expect(newlinesInUnits(2, true).count(Buffer.from(little).swap16())).toBe(2);
  expect(newlinesInUnits(2, false).after(little, 2)).toBe(little.length);
  expect(newlinesInUnits(2, false).after(little, 3)).toBe(-1);
});

test('at most two scanners are lent at a time', async () => {
  let running = 0;
  let most = 0;
  const use = (): Promise<void> =>
    withScanner(async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, use));
  await expect(withScanner(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await Promise.all([use(), use(), use()]);
  expect(most).toBe(2);
});

test('the search for a newline begins at a position', () => {
  const text = Buffer.from('a\nb\n\nc');
  const found = [0, 1, 2, 3, 4, 5, 6].map((from) => [1, 2].map((k) => newlinesInBytes.after(text, k, from)));
  expect(found).toEqual([
    [2, 4],
    [2, 4],
    [4, 5],
    [4, 5],
    [5, -1],
    [-1, -1],
    [-1, -1],
  ]);
});

test('bytes of any length are counted in any buffer', () => {
  const lines = (length: number): Buffer => {
    const content = Buffer.alloc(length, 'x');
    for (let at = 0; at < length; at += 7) content[at] = 10;
    return content;
  };
  for (const length of [0, 1, 511, 512, 513, 70_000, SCAN_BUFFER + 5, 3 * SCAN_BUFFER]) {
    const counts = [countNewlines, simd.count.bind(simd), plain.count.bind(plain)].map((count) =>
      count(lines(length)),
    );
    expect([length, counts]).toEqual([length, Array.from({ length: 3 }, () => Math.ceil(length / 7))]);
  }
});

describe('code units', () => {
  const units = (codes: readonly number[], size: 2 | 4, big: boolean): Buffer => {
    const bytes = Buffer.from((size === 2 ? Uint16Array : Uint32Array).from(codes).buffer);
    if (!big) return bytes;
    return size === 2 ? bytes.swap16() : bytes.swap32();
  };
  const codes = [0x61, 10, 0x0a00, 0x0a0a, 10, 10, 0x62];

  test.each([
    [2, false],
    [2, true],
    [4, false],
    [4, true],
  ] as const)('of %i bytes, big-endian: %j', (size, big) => {
    const scanner = newlinesInUnits(size, big);
    const bytes = units(codes, size, big);
    expect([scanner.count(bytes), scanner.count(bytes.subarray(0, size))]).toEqual([3, 0]);
    const after = (k: number, from?: number): number =>
      scanner.after(bytes, k, from === undefined ? undefined : from * size) / size;
    expect([after(1), after(2), after(3), after(4) * size]).toEqual([2, 5, 6, -1]);
    expect([after(1, 1), after(1, 2), after(2, 2), after(1, 5), after(1, 6) * size]).toEqual([
      2, 5, 6, 6, -1,
    ]);
    // A last unit that is cut is no newline.
    const cut = units([0x61, 10], size, big).subarray(0, -1);
    expect([scanner.count(cut), scanner.after(cut, 1)]).toEqual([0, -1]);
  });

  test('of four bytes: 0x0A only when the others are zero', () => {
    const scanner = newlinesInUnits(4, false);
    for (const code of [0x010a, 0x01_00_0a, 0x01_00_00_0a, 0x0a_00, 0x0a_00_00])
      expect(scanner.count(units([code, 10], 4, false))).toBe(1);
  });
});

describe('without SIMD', () => {
  const fresh = async (wasm: unknown): Promise<typeof import('../../src/text/encoding.ts')> => {
    vi.stubGlobal('WebAssembly', wasm);
    vi.resetModules();
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    return import('../../src/text/encoding.ts');
  };

  test('lines are counted in JavaScript', async () => {
    const module = await fresh(undefined);
    expect(module.createScanner()).toBeInstanceOf(module.PlainScanner);
    expect(module.countNewlines(Buffer.alloc(10_000, 'a\n'))).toBe(5_000);
  });

  test('a machine without it is asked only once', async () => {
    const Module = vi.fn(function unsupported() {
      throw new Error('unsupported');
    });
    const module = await fresh({ Module });
    expect([module.createScanner(), module.createScanner()]).toEqual([
      expect.any(module.PlainScanner),
      expect.any(module.PlainScanner),
    ]);
    expect(Module).toHaveBeenCalledTimes(1);
  });
});
