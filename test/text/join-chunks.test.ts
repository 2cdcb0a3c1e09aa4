import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { joinChunks } from '../../src/text/bytes.ts';

/** Chunks in one buffer that is used again, as the decoders give them; `fails` throws behind the last. */
async function* chunks(sizes: readonly number[], fails = false): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(1000);
  for (const [index, size] of sizes.entries()) yield buffer.fill(index % 251, 0, size).subarray(0, size);
  if (fails) throw new Error('damaged');
}

const sizes = fc.array(fc.nat({ max: 200 }), { maxLength: 60 });

test('the same bytes in few chunks, before any error', () =>
  fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async (of, fails) => {
      const got: Buffer[] = [];
      const read = (async () => {
        for await (const chunk of joinChunks(chunks(of, fails), 100)) got.push(Buffer.from(chunk));
      })();
      await (fails ? expect(read).rejects.toThrow('damaged') : read);
      const wanted = of.map((size, index) => Buffer.alloc(size, index % 251));
      expect(Buffer.concat(got).equals(Buffer.concat(wanted))).toBe(true);
      const total = of.reduce((sum, size) => sum + size, 0);
      expect(got.length).toBeLessThanOrEqual(1 + (4 * total) / 100);
    }),
  ));
