import { expect, test } from 'vitest';
import { addresses, type MatchAddress } from '../../src/search/match-page.ts';

async function parsed(...chunks: string[]): Promise<MatchAddress[]> {
  async function* source(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const all: MatchAddress[] = [];
  for await (const batch of addresses(source())) all.push(...batch);
  return all;
}

test('matches and context lines, with their numbers and offsets', async () => {
  expect(await parsed('7:90:[Omitted long matching line]\r\n8-95-\n')).toEqual([
    { no: 7, offset: 90, match: true },
    { no: 8, offset: 95, match: false },
  ]);
});

test('a record may span chunks', async () => {
  expect(await parsed('1', ':', '0:\n')).toEqual([{ no: 1, offset: 0, match: true }]);
});

test('invalid and endless records are refused', async () => {
  await expect(parsed('binary file matches\n')).rejects.toMatchObject({ code: 'INTERNAL' });
  await expect(parsed('x'.repeat(9000))).rejects.toMatchObject({ code: 'INTERNAL' });
});
