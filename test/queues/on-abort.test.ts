import { expect, onTestFinished, test } from 'vitest';
import { onAbort } from '../../src/queues/caller.ts';
import { workspace } from '../support/workspace.ts';

test('each listener runs once, in order, unless it was removed', () => {
  const { signal, abort } = stoppable();
  const order: string[] = [];
  const act = (name: string) => (): void => void order.push(name);
  const same = act('same');
  const stops = [onAbort(signal, act('a')), onAbort(signal, act('b')), onAbort(signal, same)];
  onAbort(signal, same);
  stops[1]?.();
  stops[1]?.();
  abort();
  abort();
  stops[0]?.();
  expect(order).toEqual(['a', 'same', 'same']);
});

test('many calls under one signal warn nothing, and all end', async () => {
  const warned: Error[] = [];
  const listen = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') warned.push(warning);
  };
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const { write, oriel } = workspace();
  write('a.txt', 'one\n');
  const { signal, abort } = stoppable();
  const reads = Array.from({ length: 200 }, () => oriel.tool('read').run({ path: 'a.txt' }, { signal }));
  const answers = await Promise.all(reads);
  expect(answers.every(({ isError }) => !isError)).toBe(true);
  const runs = Array.from({ length: 40 }, () => oriel.tool('bash').run({ command: 'sleep 60' }, { signal }));
  abort();
  expect((await Promise.all(runs)).every(({ isError }) => isError)).toBe(true);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(warned).toEqual([]);
});

function stoppable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
