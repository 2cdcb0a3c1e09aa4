import { expect, test } from 'vitest';
import { Turns } from '../../src/access/turns.ts';

/** Work that goes on until it is told to end. */
function held(): { work: () => Promise<void>; end: () => void; begun: () => boolean } {
  let begun = false;
  let end = (): void => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  const work = (): Promise<void> => {
    begun = true;
    return over;
  };
  return { work, end: () => end(), begun: () => begun };
}

test('only so many run at once, the others in the order in which they came', async () => {
  const turns = new Turns(1);
  const [first, second, third] = [held(), held(), held()];
  const runs = [first, second, third].map(({ work }) => turns.run(work));
  await Promise.resolve();
  expect([first, second, third].map(({ begun }) => begun())).toEqual([true, false, false]);
  first.end();
  await runs[0];
  await Promise.resolve();
  // One that comes just as the turn is handed over does not overtake.
  const late = held();
  const last = turns.run(late.work);
  await new Promise(setImmediate);
  expect([second, third, late].map(({ begun }) => begun())).toEqual([true, false, false]);
  for (const { end } of [second, third, late]) end();
  await Promise.all([...runs, last]);
});

test('who is aborted in line leaves it, and takes nobody’s turn along', async () => {
  const turns = new Turns(1);
  const first = held();
  const running = turns.run(first.work);
  const stop = new AbortController();
  const waiting = turns.run(() => Promise.resolve('never'), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  first.end();
  await running;
  expect(await turns.run(() => Promise.resolve('next'))).toBe('next');
});

test('work that fails gives its turn back, and so does one aborted as it is handed over', async () => {
  const turns = new Turns(1);
  const first = held();
  const running = turns.run(first.work);
  const stop = new AbortController();
  const handed = turns.run(() => Promise.resolve('never'), stop.signal);
  first.end();
  // The turn is handed over in the same tick in which the signal comes.
  void running.then(() => stop.abort(new Error('enough')));
  await handed.catch(() => undefined);
  await expect(turns.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await turns.run(() => Promise.resolve('next'))).toBe('next');
});
