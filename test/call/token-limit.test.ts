/** `limits.tokens` is counted by the function of the host, in lists as in texts, and the rest is on the next page. */

import { expect, test } from 'vitest';
import type { Answer } from '../../src/index.ts';
import { workspace } from '../support/workspace.ts';

/** Four times what is estimated. */
const tokens = (text: string): number => Buffer.byteLength(text);

const NAMES = Array.from({ length: 40 }, (_, i) => `file-${String(i).padStart(2, '0')}.txt`);

test.each([
  ['ls', {}],
  ['find', { pattern: '*.txt' }],
  ['grep', { pattern: 'needle' }],
  ['grep', { pattern: 'needle', output: 'files' }],
] as const)('%s %j', async (tool, input) => {
  const { with: made, write } = workspace();
  for (const name of NAMES) write(name, 'needle\n');
  const { run } = made({ tokens, limits: { tokens: 200 } }).tool(tool);
  const seen: string[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const { content, details } = (await run({ ...input, offset })) as Answer;
    const [shown = '', notice = ''] = (content[0] as { text: string }).text.split(/\n\n?(?=\[)/);
    expect(tokens(shown)).toBeLessThanOrEqual(200);
    seen.push(...(shown.match(/file-\d\d\.txt/g) ?? []));
    const next = /offset=(\d+)/.exec(notice)?.[1];
    expect(next === undefined || Number(next) > offset).toBe(true);
    expect(details['truncation'] === undefined).toBe(next === undefined);
    offset = next === undefined ? undefined : Number(next);
  }
  expect(seen).toEqual(NAMES);
});

test('a name larger than the limit is truncated', async () => {
  const { with: made, write } = workspace();
  write(`${'é'.repeat(100)}.txt`, '');
  const { content } = (await made({ tokens, limits: { tokens: 32 } })
    .tool('ls')
    .run({})) as Answer;
  expect((content[0] as { text: string }).text).toMatch(/^é+$/m);
});
