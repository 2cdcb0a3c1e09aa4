/** A grammar that cannot be read when a question about code needs it: the call fails, the process goes on, the next call has it. */

import { expect, test, vi } from 'vitest';
import { workspace } from '../../support/workspace.ts';

const shortage = vi.hoisted(() => ({ isOn: false }));

vi.mock('../../../src/files/package-files.ts', async (original) => {
  const files = await original<typeof import('../../../src/files/package-files.ts')>();
  const asset: typeof files.asset = async (path) => {
    if (shortage.isOn && path.endsWith('.wasm.br'))
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    return files.asset(path);
  };
  return { ...files, asset };
});

test('a map without descriptors is refused, and made by the next call', async () => {
  const w = workspace();
  for (let i = 0; i < 300; i += 1)
    w.write(`shop/order${i}.ts`, `export function order${i}() {\n  return 1;\n}\n`);
  const read = w.with({}).tool('read');
  shortage.isOn = true;
  const refused = await read.run({ path: '.:outline' });
  shortage.isOn = false;
  expect(refused.content).toEqual([{ type: 'text', text: 'Too many files are open. Call again.' }]);
  const { content } = await read.run({ path: '.:outline' });
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('order1') as string }]);
});
