/** XML lists made up by a hostile server. */

import { expect, test } from 'vitest';
import { listInXml } from '../../../packages/scale/src/s3/open.ts';
import '../../support/scale.ts';
import { withoutLag } from '../../support/lag.ts';

const { signal } = new AbortController();
const MIB = 1 << 20;

test.each([
  ['levels', '<a>'.repeat((8 * MIB) / 3)],
  ['entries', `<List>${'<Contents><Key>k</Key></Contents>'.repeat(200_000)}`],
])('too many %s are refused early', async (_, xml) => {
  const bytes = Buffer.from(xml);
  const failure = await withoutLag(() =>
    listInXml(bytes, new Set(['Contents']), signal).catch((error: unknown) => error),
  );
  expect(failure).toMatchObject({ code: 'CORRUPT' });
});
