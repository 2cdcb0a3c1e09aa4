import { expect, test } from 'vitest';
import { agentTools } from '../../../src/faces/adapters/openai-agents.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

test('`tool` gets a plain schema, and texts, images and failures', async () => {
  const { tools } = testTools();
  const [read, picture] = agentTools(tools);
  const { $schema: _, ...parameters } = tools[0]?.jsonSchema ?? {};
  expect(read).toMatchObject({ name: 'read', description: tools[0]?.description, parameters, strict: false });
  expect(Reflect.ownKeys(read?.parameters ?? {})).not.toContain('~standard');
  expect(await read?.execute({ path: 'f:2..2' })).toBe('2|b\n');
  expect(await read?.execute('{"path":"f:2..2"}')).toBe('2|b\n');
  expect(await read?.execute('not JSON')).toMatch(/^The input of read is wrong: /);
  expect(await picture?.execute({})).toEqual([
    { type: 'text', text: 'a pixel' },
    { type: 'image', image: { data: PIXEL, mediaType: 'image/png' } },
  ]);
});

test('the signal cancels the work, and notices are reported', async () => {
  const { tools, hanging } = testTools();
  const told: unknown[] = [];
  const made = agentTools(tools, { onNotices: (notices, tool) => told.push([tool, notices[0]?.kind]) });
  const stop = new AbortController();
  const call = made[2]?.execute({}, undefined, { signal: stop.signal });
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  await call;
  await made[0]?.execute({ path: 'f:9..9' });
  expect(told).toEqual([['read', 'past-end']]);
});
