/**
 * Runs code over hostile bytes in a realm of its own for each job: a `node:vm` context with new intrinsics, new globals and
 * new module state. What an input changes there (a property of `Object.prototype`, a table of a library) is gone with it.
 *
 * The realm of the child survives, so nothing in it may change: its intrinsics are frozen, and all that a job can reach. No
 * realm compiles strings. The modules are compiled once for each child and evaluated in a few milliseconds; a new process or
 * thread would cost ten times as much.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { createContext, runInNewContext, runInThisContext, Script } from 'node:vm';
import { crc32, inflateRawSync } from 'node:zlib';
import type { ChildAnswer } from './child-jobs.ts';
import { compileLate, ownProcess } from './compile-budget.ts';
import type { RealmHost } from './realm-globals.ts';
import { RUNTIME } from './runtime.ts';

/** What an entry `…-realm.ts` exports. Only texts and bytes pass between realms; `head` and `reply` are JSON. */
interface RealmJob {
  answer(head: string, body: Uint8Array): Promise<{ readonly reply: string; readonly body: Uint8Array }>;
}

type Evaluate = (require: (id: string) => unknown, host: RealmHost) => object;

export class JobRealms {
  readonly #entry: string;
  readonly #globals: string;
  readonly #natives: Readonly<Record<string, () => unknown>>;
  readonly #host: RealmHost;
  readonly #loaded = new Map<string, unknown>();
  readonly #ready: Promise<void>;
  readonly #scripts = new Map<string, Script>();

  /**
   * `entry`: a built file. `natives`: what a job can load that is native code, by the name of the package. `functions`: more
   * globals, which return texts or bytes that are not kept.
   */
  constructor(
    entry: URL,
    natives: Readonly<Record<string, () => unknown>> = {},
    functions: RealmHost['functions'] = {},
  ) {
    this.#entry = fileURLToPath(entry);
    this.#globals = fileURLToPath(new URL('../../process/realm-globals.cjs', entry));
    this.#natives = natives;
    this.#host = { ...HOST, functions: { ...HOST.functions, ...functions } };
    // Their streams have another prototype, which Node changes for each.
    Reflect.deleteProperty(ReadableStream.prototype, 'tee');
    Reflect.deleteProperty(ReadableStream, 'from');
    // It would call a job after its end.
    Reflect.deleteProperty(AbortSignal, 'timeout');
    // It gives out sets of the child.
    Reflect.deleteProperty(AbortSignal, 'any');
    // By their symbols a job would get ports of messages, and events of another class.
    for (const { prototype } of [ReadableStream, AbortSignal, EventTarget, DOMException])
      for (const key of Object.getOwnPropertySymbols(prototype))
        if (/transfer|serialize|createEvent/i.test(String(key))) Reflect.deleteProperty(prototype, key);
    this.#ready = RUNTIME === 'node' ? hardenChild(this.#host) : Promise.resolve();
    // Code of a short life is not worth optimizing: 30 to 50 % of the CPU time of a document.
    setFlagsFromString('--max-lazy');
    ownProcess();
    compileLate();
  }

  async answer(head: unknown, body: Buffer): Promise<ChildAnswer> {
    await this.#ready;
    const timers = new JobTimers();
    const { job, adopt } = this.#open(timers);
    try {
      const made = await job.answer(JSON.stringify(head), adopt(body));
      return { reply: JSON.parse(made.reply) as unknown, body: bytesOf(made.body) };
    } finally {
      timers.end();
      // What the job still does, it does in its own time.
      await new Promise(setImmediate);
    }
  }

  #open(timers: JobTimers): { readonly job: RealmJob; adopt(bytes: Buffer): Uint8Array } {
    const host = { ...this.#host, functions: { ...this.#host.functions, ...timers.functions } };
    harden(host);
    const context = createContext(Object.create(null) as object, {
      codeGeneration: { strings: false, wasm: true },
    });
    const loaded = new Map<string, object>();
    const load = (path: string): object => {
      const known = loaded.get(path);
      if (known) return known;
      const evaluate = this.#script(path).runInContext(context) as Evaluate;
      const require = (id: string): unknown => {
        if (id.startsWith('.')) return load(join(dirname(path), id));
        return id === 'node:zlib' ? globals.zlib : this.#native(id);
      };
      const made = evaluate(Object.freeze(require), host);
      loaded.set(path, made);
      return made;
    };
    const globals = load(this.#globals) as typeof import('./realm-globals.ts');
    return { job: load(this.#entry) as RealmJob, adopt: globals.adopt as (bytes: Buffer) => Uint8Array };
  }

  /** The compiled code of a file, which all realms share. */
  #script(path: string): Script {
    const known = this.#scripts.get(path);
    if (known) return known;
    const code = readFileSync(path, 'utf8');
    const script = new Script(
      `(function (require, host) {
        const { ${path === this.#globals ? INTRINSICS : NAMES} } = globalThis, module = { exports: {} };
        (function (exports) {${code}\n})(module.exports);
        return module.exports;
      })`,
      { filename: path },
    );
    this.#scripts.set(path, script);
    return script;
  }

  #native(id: string): unknown {
    const known = this.#loaded.get(id);
    if (known !== undefined) return known;
    const load = Object.hasOwn(this.#natives, id) ? this.#natives[id] : undefined;
    if (!load) throw new Error(`${id} is not for jobs`);
    const library = load();
    harden(library);
    this.#loaded.set(id, library);
    return library;
  }
}

const {
  constructor: _,
  slice: __,
  subarray: ___,
  ...methods
} = Object.getOwnPropertyDescriptors(Buffer.prototype);

/** Those of one job: they end with it, and it begins none after its end. */
class JobTimers {
  readonly #running = new Set<number>();
  #ended = false;

  readonly functions = {
    setTimeout: (run: () => void, ms: number): number => {
      if (this.#ended) return 0;
      // Without `this`, which would be an object of the child.
      const timer = Number(setTimeout(Function.prototype.bind.call(run, undefined), ms));
      this.#running.add(timer);
      return timer;
    },
    clearTimeout: (timer: number): void => {
      if (this.#running.delete(timer)) clearTimeout(timer);
    },
  };

  end(): void {
    this.#ended = true;
    for (const timer of this.#running) clearTimeout(timer);
  }
}

const HOST: RealmHost = {
  buffer: {
    prototype: methods,
    statics: {
      from: Buffer.from,
      concat: Buffer.concat,
      alloc: Buffer.alloc,
      // Memory that is not cleared may hold bytes of another job.
      allocUnsafe: Buffer.alloc,
      allocUnsafeSlow: Buffer.alloc,
      byteLength: Buffer.byteLength,
      compare: Buffer.compare,
      isEncoding: Buffer.isEncoding,
    },
  },
  zlib: { crc32, inflateRawSync },
  functions: {
    atob,
    btoa,
    queueMicrotask,
    now: () => performance.now(),
  },
  classes: {
    AbortController,
    AbortSignal,
    DOMException,
    ReadableStream,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
  },
};

/**
 * The names of globals, which code gets as constants: V8 asks the context for each use of a global, which makes the reader of
 * PDF three times as slow.
 */
const NAMED = (runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]).filter(
  (name) => !['globalThis', 'undefined', 'NaN', 'Infinity', 'eval'].includes(name),
);
const INTRINSICS = NAMED.join();
// Some are in NAMED under Deno.
const NAMES = [
  ...new Set([
    ...NAMED,
    'Buffer',
    'structuredClone',
    ...Object.keys({ ...HOST.classes, ...HOST.functions, ...new JobTimers().functions }),
  ]),
].join();

/** Freezes what a job can reach of the child. */
async function hardenChild(host: RealmHost): Promise<void> {
  harden(host);
  // Not by Node's --frozen-intrinsics, which makes regular expressions ten times as slow in every realm.
  for (const name of [...NAMED, 'Buffer']) harden(Reflect.get(globalThis, name));
  harden(Reflect.get(Buffer, Symbol.species));
  for (const example of [
    async () => {},
    function* () {},
    async function* () {},
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ''[Symbol.iterator](),
    ''.matchAll(/a/g),
    ...examplesOfNode(),
  ])
    harden(Object.getPrototypeOf(example));
  // In V8 13 the functions behind it are shared by all errors of a realm.
  const stack = Object.getOwnPropertyDescriptor(new Error('an example'), 'stack');
  for (const part of [stack?.get, stack?.set]) harden(part);
  for (const example of await lateExamples()) harden(example);
}

/** What the classes of the child make, and what they throw: its prototypes cannot be reached from the classes. */
function examplesOfNode(): readonly object[] {
  const controllers: object[] = [];
  const bytes = new ReadableStream({ type: 'bytes', start: (made) => void controllers.push(made) });
  const text = new ReadableStream({ start: (made) => void controllers.push(made) });
  const held = new ReadableStream();
  held.getReader();
  let closed: unknown;
  const ended = new ReadableStream({ start: (made) => ((closed = made), made.close()) });
  const events: object[] = [];
  const cancelled = new AbortController();
  cancelled.signal.addEventListener('abort', (event) => void events.push(event));
  cancelled.abort();
  const failures = [
    () => Reflect.get(ReadableStream.prototype, 'locked', {}) as unknown,
    () => Reflect.get(AbortSignal.prototype, 'onabort', {}) as unknown,
    () => new TextDecoder('none'),
    () => new URL('none'),
    () => new ReadableStream(1 as never),
    () => new ReadableStream({}, { highWaterMark: -1 }),
    () => new URLSearchParams([[1]] as never),
    () => (new URL('http://localhost').href = 'none'),
    () => new ReadableStream({ type: 'none' as never }),
    () => held.getReader(),
    () => (closed as ReadableStreamDefaultController).enqueue(1),
    () => new (AbortSignal as new () => AbortSignal)(),
    () => (cancelled.signal.addEventListener as () => void)(),
  ].map(thrownBy);
  return [
    ReadableStreamBYOBRequest.prototype,
    ...controllers,
    ...events,
    ...failures,
    bytes.getReader({ mode: 'byob' }),
    text.getReader(),
    ended.getReader(),
    new ReadableStream().values(),
    new URLSearchParams().keys(),
  ];
}

/** A stream that has started, for the functions that all share, and what promises are rejected with: some errors are shared too. */
async function lateExamples(): Promise<unknown[]> {
  const stream = new ReadableStream();
  const reader = new ReadableStream().getReader();
  const read = reader.read();
  reader.releaseLock();
  const imported = runInThisContext('import("./none")') as Promise<never>;
  const ends = await Promise.allSettled([read, reader.closed, imported]);
  return [stream, ...ends.map((end) => (end.status === 'rejected' ? (end.reason as unknown) : undefined))];
}

function thrownBy(fail: () => unknown): object {
  try {
    fail();
  } catch (error) {
    return error as object;
  }
  throw new Error('this should have failed');
}

/** The bytes of a job, without its own getters: with another length it could begin the answer of the next. */
function bytesOf(made: Uint8Array): Uint8Array {
  const own = (name: string): unknown => Reflect.get(Uint8Array.prototype, name, made);
  return new Uint8Array(
    own('buffer') as ArrayBuffer,
    own('byteOffset') as number,
    own('byteLength') as number,
  );
}

const hardened = new WeakSet<object>();

/**
 * Freezes an object, its prototypes, and everything that its properties lead to. Only under Node: elsewhere a child ends with
 * its job (`child-pool.ts`), and functions of the runtime change what would be frozen.
 */
export function harden(value: unknown): void {
  if (RUNTIME !== 'node') return;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (hardened.has(value) || ArrayBuffer.isView(value)) return;
  hardened.add(value);
  Object.freeze(value);
  harden(Object.getPrototypeOf(value));
  for (const key of Reflect.ownKeys(value)) {
    const { value: content, get, set } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    for (const part of [content, get, set]) harden(part);
  }
}
