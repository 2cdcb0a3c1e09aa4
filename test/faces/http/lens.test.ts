/** The lens shows what a model gets, not something like it. */

import { expect, test } from 'vitest';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

test('the limits and the display of the server hold, but for what is asked for', async () => {
  const { W, write } = workspace();
  write('f.txt', Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join(''));
  const { post } = await server(['--cwd', W, '--limits', 'lines=7', '--display', 'hashline']);
  const asked = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await (await post(path, body)).json()) as Record<string, unknown>;
  const { content } = await asked('/api/v0/tools/read', { path: 'f.txt' });
  expect(JSON.stringify(content)).toContain('line 7');
  expect(JSON.stringify(content)).not.toContain('line 8');
  const seen = JSON.stringify(await asked('/api/v0/lens', { dialect: 'oriel', path: 'f.txt' }));
  expect(seen).toContain(JSON.stringify((content as readonly { text: string }[])[0]?.text));
  const wider = await asked('/api/v0/lens', { dialect: 'oriel', path: 'f.txt', limits: { lines: 9 } });
  expect(JSON.stringify(wider)).toContain('line 9');
});
