/** The lens shows what a model gets, not something like it. */

import { expect, test } from 'vitest';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

test('limits and display of the server apply unless requested otherwise', { tags: 'slow' }, async () => {
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

test('an input that no tool accepts is refused, not repeated', { tags: 'slow' }, async () => {
  const { W } = workspace();
  const { post } = await server(['--cwd', W]);
  let nested: unknown = 'x';
  for (let i = 0; i < 4_000; i += 1) nested = [nested];
  const long = '\u202e'.repeat(1_000_000);
  for (const question of [
    { input: { path: long } },
    { path: long },
    { dialect: 'pi', path: `${long}:1-2` },
    { input: { path: nested } },
    { input: { [long]: 1 } },
    { input: { path: Array.from({ length: 9_000 }, () => '') } },
    { input: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`f${i}`, 1])) },
  ]) {
    const response = await post('/api/v0/lens', { dialect: 'oriel', ...question });
    const text = await response.text();
    expect([response.status, text.length < 1_000, JSON.parse(text)]).toMatchObject([
      400,
      true,
      { code: 'BAD_INPUT' },
    ]);
  }
});

test.each(['path', 'input'])(
  '%s of more than 8,192 characters is refused',
  { tags: 'slow' },
  async (field) => {
    const { post } = await server(['--cwd', workspace().W]);
    const ask = async (length: number): Promise<string> => {
      const path = './'.repeat(length / 2);
      const question = field === 'path' ? { path } : { input: { path } };
      const response = await post('/api/v0/lens', { dialect: 'oriel', ...question });
      return `${response.status} ${(await response.text()).slice(0, 200)}`;
    };
    expect(await ask(8_000)).toMatch(/^200 /);
    expect(await ask(8_194)).toMatch(/^400 .*BAD_INPUT/);
  },
);
