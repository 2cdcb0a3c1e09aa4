/** A large reply on its way into a file: order, backpressure, failures. */

import { expect, test } from 'vitest';
import { BodyFile } from '../../src/process/warm-child.ts';

interface Played {
  readonly body: BodyFile;
  readonly file: object;
  readonly events: string[];
  /** Lets the next step of the file succeed or fail. */
  step(error?: Error): Promise<void>;
}

/** A file whose steps end when the test says so. */
function played(): Played {
  const events: string[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const begun = (event: string): Promise<void> => {
    events.push(event);
    return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
  };
  const file = {
    append: (piece: Buffer) => begun(`append ${piece}`),
    close: () => Promise.resolve(void events.push('close')),
  };
  const pipe = { pause: () => void events.push('pause'), resume: () => void events.push('resume') };
  const open = () => begun('open').then(() => file as never);
  const body = new BodyFile(open, pipe, (error) => void events.push(`fail ${(error as Error).message}`));
  return {
    body,
    file,
    events,
    async step(error) {
      await turn();
      const next = waiting.shift();
      if (error) next?.reject(error);
      else next?.resolve();
      await turn();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('the pipe pauses for each piece, the file opens once', async () => {
  const { body, file, events, step } = played();
  body.write(Buffer.from('one'));
  expect(events).toEqual(['pause']);
  await step();
  expect(events).toEqual(['pause', 'open', 'append one']);
  await step();
  body.write(Buffer.from('two'));
  body.write(Buffer.from('three'));
  let finished: unknown;
  void body.finish().then((value) => (finished = value));
  await step();
  expect([events.slice(3), finished]).toEqual([
    ['resume', 'pause', 'pause', 'append two', 'resume', 'append three'],
    undefined,
  ]);
  await step();
  expect(events.at(-1)).toBe('resume');
  expect(finished).toBe(file);
});

test('a body without a piece is an empty file', async () => {
  const { body, file, events, step } = played();
  const finished = body.finish();
  await step();
  expect(await finished).toBe(file);
  expect(events).toEqual(['open']);
});

test('a failed write fails the reply once, and nothing follows', async () => {
  const { body, events, step } = played();
  body.write(Buffer.from('one'));
  body.write(Buffer.from('two'));
  await step();
  await step(new Error('ENOSPC'));
  expect(events).toEqual(['pause', 'pause', 'open', 'append one', 'fail ENOSPC']);
  const discarded = body.discard();
  await discarded;
  expect(events.slice(5)).toEqual(['close']);
});

test('a failed open fails the reply, with nothing to close', async () => {
  const { body, events, step } = played();
  body.write(Buffer.from('one'));
  await step(new Error('EMFILE'));
  await body.discard();
  expect(events).toEqual(['pause', 'open', 'fail EMFILE']);
});

test('what is discarded closes after the last piece is written', async () => {
  const { body, events, step } = played();
  body.write(Buffer.from('one'));
  await step();
  const discarded = body.discard();
  await turn();
  expect(events).not.toContain('close');
  await step();
  await discarded;
  expect(events).toEqual(['pause', 'open', 'append one', 'resume', 'close']);
});

test('what was never written is not opened to be discarded', async () => {
  const { body, events } = played();
  await body.discard();
  expect(events).toEqual([]);
});
