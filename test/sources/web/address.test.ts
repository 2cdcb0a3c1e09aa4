/** Addresses of pages, with what stands behind them. */

import { expect, test } from 'vitest';
import { addressOf } from '../../../src/sources/web/address.ts';
import { withoutLag } from '../../support/lag.ts';

test.each([':fresh', ':', ':1', ':1-2', '/a:', '?a=b:', '#:'])(
  'an address of any length with %j holds nothing up',
  async (unit) => {
    for (const length of [8_000, 65_000]) {
      const address = `https://h/${unit.repeat(Math.floor(length / unit.length))}`;
      const outcome = await withoutLag(async () => {
        try {
          return addressOf(address, () => false);
        } catch (error) {
          return error;
        }
      });
      if (length > 8_192) expect(outcome).toMatchObject({ code: 'BAD_PATH' });
    }
  },
);
