import { expect, test } from 'vitest';
import { orielExtension, type PiTool, piTool } from '../../../src/faces/adapters/pi.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { testTool } from '../../support/offer.ts';
import { testTools } from '../../support/tools.ts';
import { workspace } from '../../support/workspace.ts';

test('an extension registers every tool and ends with pi’s session', async () => {
  const { W, write } = workspace();
  write('f', 'a\n');
  const tools: PiTool[] = [];
  let shutdown = (): Promise<void> => Promise.resolve();
  orielExtension({ cwd: W, roots: [W] })({
    registerTool: (tool) => void tools.push(tool),
    on: (_event, handler) => (shutdown = handler),
  });
  expect(tools.map(({ name }) => name)).toContain('read');
  const read = tools.find(({ name }) => name === 'read');
  expect(read).toMatchObject({ label: 'Read', parameters: { type: 'object', required: ['path'] } });
  const context = { cwd: W };
  expect(await read?.execute('1', { path: 'f' }, undefined, undefined, context)).toMatchObject({
    content: [{ type: 'text', text: '1|a\n' }],
    details: { kind: 'file' },
  });
  await expect(read?.execute('2', { path: 'none' }, undefined, undefined, context)).rejects.toThrow(
    'none does not exist. Use . to list the working directory.',
  );
  await shutdown();
});

test('updates report progress, the signal cancels the call', async () => {
  const { hanging } = testTools();
  const stop = new AbortController();
  const call = piTool(hanging.tool).execute('1', {}, stop.signal, undefined, { cwd: '.' });
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  expect((await call).content).toEqual([{ type: 'text', text: 'stopped' }]);
  const busy = testTool('busy', (_input, { onProgress }) => {
    onProgress?.({ message: 'half way' });
    return Promise.resolve(textAnswer('done'));
  });
  const updates: unknown[] = [];
  await piTool(busy).execute('2', {}, undefined, (partial) => void updates.push(partial.content), {
    cwd: '.',
  });
  expect(updates).toEqual([[{ type: 'text', text: 'half way' }]]);
});
