/** A realm for each job: nothing that a job can reach keeps what it writes there. */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeFrame, type PipeFrame, readFrame } from '../../src/text/frames.ts';
import { built } from '../support/built.ts';
import { temporaryFolder } from '../support/commands.ts';

/** Writes to all that it reaches, or names what was written to. */
const JOB = `
exports.answer = async (head) => {
  const paths = new Map();
  const waiting = [];
  const found = [];
  const reach = (value, path) => {
    if (Object(value) !== value || paths.has(value)) return;
    paths.set(value, path);
    waiting.push(value);
  };
  const made = {
    controllers: () => { const all = []; const start = (one) => { all.push(one); }; new ReadableStream({ start }); new ReadableStream({ type: 'bytes', start }); return all; },
    event: () => { let event; const it = new AbortController(); it.signal.onabort = (one) => { event = one; }; it.abort(); return event; },
    reader: () => new ReadableStream({}).getReader(),
    byteRequest: () => { const all = []; new ReadableStream({ type: 'bytes', pull: (it) => { all.push(it.byobRequest); } }).getReader({ mode: 'byob' }).read(new Uint8Array(1)); return all; },
    byteReader: () => new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' }),
    values: () => new ReadableStream({}).values(),
    copies: () => [ReadableStream.prototype.tee?.call(new ReadableStream({})), ReadableStream.from?.([])],
    parameters: () => new URL('http://x/?a=b').searchParams.entries(),
    encoded: () => new TextEncoder().encode('x'),
    bytes: () => [Buffer.from('x'), Buffer.from('x').entries(), Buffer.concat([])],
    failures: () => [() => new TextDecoder('none'), () => new URL('none'), () => atob('%'), () => Buffer.alloc(-1), () => setTimeout(1), () => new ReadableStream(1), () => new ReadableStream({ type: 'x' }), () => { const it = new ReadableStream({}); it.getReader(); it.getReader(); }, () => new ReadableStream({ start: (it) => { it.close(); it.enqueue(1); } }), () => new AbortSignal(), () => new AbortController().signal.addEventListener(), () => require('none')].map((fail) => { try { return fail(); } catch (error) { return error; } }),
    more: () => [() => new ReadableStream({}, { highWaterMark: -1 }), () => new URLSearchParams([[1]]), () => { new URL('http://x').href = 'none'; }].map((fail) => { try { return fail(); } catch (error) { return error; } }),
    bySymbols: () => [new AbortController(), new AbortController().signal, new ReadableStream({}), new DOMException('x')].flatMap((one) => {
      const found = [];
      for (let at = one; at; at = Object.getPrototypeOf(at))
        for (const key of Object.getOwnPropertySymbols(at)) try { found.push(one[key]()); } catch (error) { found.push(error); }
      return found;
    }),
    require: () => require,
    anydoc: () => { const it = require('@firecrawl/anydoc'); try { return [it, it.toMarkdownBytes()]; } catch (error) { return [it, error]; } },
  };
  if (!NATIVE) delete made.anydoc;
  else await require('@firecrawl/pdf-inspector').extractPagesMarkdownAsync(Buffer.from('x')).catch((error) => reach(error, 'native'));
  reach(await new Promise((done) => setTimeout(function () { done(this); }, 0)), 'timer');
  const reader = new ReadableStream({}).getReader();
  const read = reader.read();
  reader.releaseLock();
  for (const end of [read, reader.closed, import('./none')]) await end.catch((error) => reach(error, 'late'));
  reach(globalThis, 'globalThis');
  for (const [name, make] of Object.entries(made)) reach(make(), name);
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    const path = paths.get(value);
    reach(Object.getPrototypeOf(value), path + '.__proto__');
    for (const key of Reflect.ownKeys(value)) {
      const { value: content, get, set } = Object.getOwnPropertyDescriptor(value, key);
      for (const part of [content, get, set]) reach(part, path + '.' + String(key));
      if (!get) continue;
      try { const got = value[key]; reach(got, path + '.' + String(key)); got?.then?.(undefined, () => {}); } catch (error) { reach(error, path + '.' + String(key) + '!'); }
    }
    if (JSON.parse(head) === 'write') Reflect.defineProperty(value, 'left', { value: true });
    else if (Object.hasOwn(value, 'left')) found.push(path);
  }
  // It ends with its job.
  const fail = () => { throw new Error('a timer of another job'); };
  if (JSON.parse(head) === 'write') {
    setTimeout(fail, 1);
    WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => setTimeout(fail, 1));
  }
  else await new Promise((done) => setTimeout(done, 50));
  return { reply: JSON.stringify({ reached: paths.size, found }), body: new Uint8Array(0) };
};
`;

/** The answers of a built child, with `job` as its realm, to jobs with these heads. */
function answersOf(
  directory: string,
  name: string,
  job: string,
  heads: readonly unknown[],
): (PipeFrame | undefined)[] {
  const home = temporaryFolder();
  for (const part of [directory, 'process']) mkdirSync(join(home, part), { recursive: true });
  const child = `${directory}/${name}-child.js`;
  for (const file of [child, 'process/realm-globals.cjs']) copyFileSync(built(file), join(home, file));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  writeFileSync(join(home, `${directory}/${name}-realm.cjs`), job);
  const { stdout, stderr } = spawnSync(process.execPath, [join(home, child)], {
    input: Buffer.concat(heads.flatMap((head) => encodeFrame(head, Buffer.from('x')))),
  });
  expect(stderr.toString()).toBe('');
  let at = 0;
  const fill = (target: Uint8Array): boolean => {
    at += target.length;
    return stdout.copy(target, 0, at - target.length, at) === target.length;
  };
  return heads.map(() => readFrame(1 << 20, fill));
}

test.each([
  { directory: 'formats/web', name: 'page', native: false },
  { directory: 'formats/document', name: 'convert', native: true },
])('what a $name job writes anywhere is gone in the next', ({ directory, name, native }) => {
  const job = `const NATIVE = ${native};${JOB}`;
  const [first, second] = answersOf(directory, name, job, ['write', 'look']);
  const { reached = 0 } = (first?.head ?? {}) as { reached?: number };
  expect(reached).toBeGreaterThan(500);
  expect(second?.head).toEqual({ reached, found: [] });
});

test('a job cannot begin the answer of the next', () => {
  const job = `
  exports.answer = async (head) => {
    const body = new Uint8Array(20);
    if (head === '1') {
      let asked = 0;
      Object.defineProperty(body, 'length', { get: () => (asked++ ? 20 : 0) });
    }
    return { reply: head, body };
  };`;
  const answers = answersOf('formats/web', 'page', job, [1, 2]);
  expect(answers.map((answer) => [answer?.head, answer?.body.length])).toEqual([
    [1, 20],
    [2, 20],
  ]);
});

test('a job ends what it can before its answer', () => {
  const job = `
  exports.answer = async () => {
    const body = new Uint8Array(1);
    const goOn = async () => {
      for (let step = 0; step < 1000; step += 1) await null;
      body[0] = 1;
    };
    void goOn();
    return { reply: '0', body };
  };`;
  const [answer] = answersOf('formats/web', 'page', job, [1]);
  expect([...(answer?.body ?? [])]).toEqual([1]);
});
