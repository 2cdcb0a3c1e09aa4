import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { assemble } from '../../scripts/wasm.mjs';
import {
  createScanner,
  newlinesInBytes,
  newlinesInUnits,
  PlainScanner,
  SCAN_BUFFER,
  SimdScanner,
  withScanner,
} from '../../src/text/scan.ts';
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

  test('on the k-th newline', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 400 }), fc.nat(70), (content, k, shift) => {
        const at = simd.buffers[1].subarray(shift, shift + content.length);
        at.set(content);
        expect(simd.after(at, k)).toBe(newlinesInBytes.after(content, k));
        expect(plain.after(content, k)).toBe(simd.after(content, k));
      }),
    );
  });

  test('on a full buffer of newlines', () => {
    simd.buffers[0].fill(10);
    expect(simd.count(simd.buffers[0])).toBe(SCAN_BUFFER);
    expect(simd.after(simd.buffers[0], SCAN_BUFFER)).toBe(SCAN_BUFFER);
    expect(simd.after(simd.buffers[0], SCAN_BUFFER + 1)).toBe(-1);
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

test('at most two scanners are lent at a time, and they are reused', async () => {
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
