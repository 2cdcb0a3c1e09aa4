import { expect, test } from 'vitest';
import { type PipeFrame, encodeFrame, FrameReader, readFrame, wholeFrame } from '../../src/text/frames.ts';

function readAll(bytes: Buffer, step: number, most = 1000): PipeFrame[] {
  const reader = new FrameReader(most);
  const found: PipeFrame[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    const one = reader.push(bytes.subarray(at, at + step));
    if (one) found.push(one);
  }
  return found;
}

test('a frame is put together from pieces of any size', () => {
  const bytes = Buffer.concat(encodeFrame({ a: 'é' }, Buffer.from('body')));
  for (let step = 1; step <= bytes.length; step += 1) {
    expect(readAll(bytes, step)).toEqual([{ head: { a: 'é' }, body: Buffer.from('body') }]);
  }
});

test('an empty body, and a body that is written apart', () => {
  expect(readAll(Buffer.concat(encodeFrame(1, new Uint8Array(0))), 99)).toEqual([
    { head: 1, body: Buffer.alloc(0) },
  ]);
  const apart = Buffer.concat([...encodeFrame(2, 3), Buffer.from('abc')]);
  expect(readAll(apart, 99)).toEqual([{ head: 2, body: Buffer.from('abc') }]);
});

test('a frame declared too large is refused', () => {
  expect(() => readAll(Buffer.concat(encodeFrame(1, 1_000_000)), 4)).toThrow(
    new RangeError('the frame is too large'),
  );
});

test('the maximum is inclusive', () => {
  const bytes = Buffer.concat(encodeFrame('head', Buffer.from('body')));
  const found = { head: 'head', body: Buffer.from('body') };
  // The head has six bytes as JSON.
  expect(readAll(bytes, 99, 10)).toEqual([found]);
  expect(() => readAll(bytes, 99, 9)).toThrow(new RangeError('the frame is too large'));
});

test('a head declared too large is refused before it arrives', () => {
  const front = (encodeFrame('a head of 20 bytes', 5)[0] as Buffer).subarray(0, 8);
  expect(() => new FrameReader(1_000, undefined, 19).push(front)).toThrow(
    new RangeError('the head of the frame is too large'),
  );
  expect(new FrameReader(1_000, undefined, 20).push(front)).toBeUndefined();
});

test('frames are read from a blocking pipe until it ends', () => {
  const input = Buffer.concat([
    ...encodeFrame({ a: 'é' }, Buffer.from('body')),
    ...encodeFrame(2, new Uint8Array(0)),
  ]);
  const pipe = (bytes: Buffer) => {
    let at = 0;
    return (target: Uint8Array): boolean => {
      const isWhole = at + target.length <= bytes.length;
      at += bytes.copy(target, 0, at);
      return isWhole;
    };
  };
  const fill = pipe(input);
  expect(readFrame(1000, fill)).toEqual({ head: { a: 'é' }, body: Buffer.from('body') });
  expect(readFrame(1000, fill)).toEqual({ head: 2, body: Buffer.alloc(0) });
  expect(readFrame(1000, fill)).toBeUndefined();
  for (let cut = 0; cut < 8 + '{"a":"é"}'.length; cut += 1)
    expect(readFrame(1000, pipe(input.subarray(0, cut)))).toBeUndefined();
  expect(() => readFrame(10, pipe(input))).toThrow(RangeError);
});

test('a reader can supply the memory of a body', () => {
  const input = Buffer.concat(encodeFrame(1, Buffer.from('body')));
  let at = 0;
  const fill = (target: Uint8Array): boolean => {
    at += input.copy(target, 0, at);
    return true;
  };
  const kept = Buffer.alloc(10, '.');
  expect(readFrame(1000, fill, (bytes) => kept.subarray(2, 2 + bytes))?.body.toString()).toBe('body');
  expect(kept.toString()).toBe('..body....');
});

test('a body is passed on in pieces of any size', () => {
  const bytes = Buffer.concat([
    ...encodeFrame(1, Buffer.from('a long body')),
    ...encodeFrame(2, Buffer.from('short')),
  ]);
  for (let step = 1; step <= bytes.length; step += 1) {
    const pieces: Buffer[] = [];
    const reader = new FrameReader(1000, (length) =>
      length > 5 ? (piece) => pieces.push(piece) : undefined,
    );
    const one = encodeFrame(1, Buffer.from('a long body')).reduce((sum, part) => sum + part.length, 0);
    const found: unknown[] = [];
    for (const [from, to] of [
      [0, one],
      [one, bytes.length],
    ] as const) {
      for (let at = from; at < to; at += step)
        found.push(reader.push(bytes.subarray(at, Math.min(to, at + step))));
    }
    expect(found.filter((frameOrNot) => frameOrNot !== undefined)).toEqual([
      { head: 1, body: Buffer.alloc(0), aside: 11 },
      { head: 2, body: Buffer.from('short') },
    ]);
    expect(Buffer.concat(pieces).toString()).toBe('a long body');
    expect(pieces.every((piece) => piece.length > 0)).toBe(true);
  }
});

test('nothing behind the end of a body is passed on', () => {
  const bytes = Buffer.concat([...encodeFrame(1, Buffer.from('a long body')), Buffer.from('more')]);
  const pieces: string[] = [];
  const reader = new FrameReader(1000, () => (piece) => pieces.push(piece.toString()));
  expect(reader.push(bytes.subarray(0, 15))).toBeUndefined();
  expect(reader.push(bytes.subarray(15))).toEqual({ head: 1, body: Buffer.alloc(0), aside: 11 });
  expect(pieces.join('|')).toBe('a long| body');
});

test('one frame in memory is read whole or not', () => {
  const bytes = Buffer.concat(encodeFrame({ a: 1 }, Buffer.from('body')));
  expect(wholeFrame(bytes)).toEqual({ head: { a: 1 }, body: Buffer.from('body') });
  for (let cut = 0; cut < bytes.length; cut += 1) expect(wholeFrame(bytes.subarray(0, cut))).toBeUndefined();
  expect(wholeFrame(Buffer.concat([bytes, Buffer.from('x')]))).toBeUndefined();
});
