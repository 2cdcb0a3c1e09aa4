/**
 * Gives a new realm (`job-realm.ts`) the globals of Node that libraries use. It runs in that realm, and makes them of what
 * the child hands in: functions of the child are wrapped, so that bytes and errors are objects of this realm.
 */

type Callable = (this: unknown, ...args: never[]) => unknown;
type Callables = Readonly<Record<string, Callable>>;

/** What a realm gets from the child; all of it is frozen. */
export interface RealmHost {
  readonly buffer: {
    readonly prototype: Readonly<Record<string | symbol, PropertyDescriptor>>;
    readonly statics: Callables;
  };
  readonly zlib: Callables;
  /** Functions that become globals, and `performance.now`. */
  readonly functions: Callables;
  /** Classes that become globals. */
  readonly classes: Readonly<Record<string, unknown>>;
}

declare const host: RealmHost;

class RealmBuffer extends Uint8Array {}

/** Makes bytes that the child has allocated a buffer of this realm. */
export function adopt(value: unknown): unknown {
  if (!ArrayBuffer.isView(value) || value instanceof Uint8Array) return value;
  const { buffer, byteLength } = value;
  if (!(buffer instanceof ArrayBuffer)) {
    // Small buffers of Node share their memory.
    if (buffer.byteLength !== byteLength) return new RealmBuffer(value as unknown as ArrayLike<number>);
    Object.setPrototypeOf(buffer, ArrayBuffer.prototype);
  }
  return Object.setPrototypeOf(value, RealmBuffer.prototype) as unknown;
}

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = { RangeError, TypeError };

function wrapped(run: Callable): Callable {
  return function (...args) {
    try {
      return adopt(Reflect.apply(run, this, args));
    } catch (error) {
      const { name, message, code } = error as Error & { code?: unknown };
      throw Object.assign(new (ERRORS[name] ?? Error)(message), { code });
    }
  };
}

const all = (functions: Callables): Record<string, Callable> =>
  Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, wrapped(run)]));

for (const key of Reflect.ownKeys(host.buffer.prototype)) {
  const property = host.buffer.prototype[key] as PropertyDescriptor;
  const { value } = property as { value?: unknown };
  Object.defineProperty(
    RealmBuffer.prototype,
    key,
    typeof value === 'function'
      ? { value: wrapped(value as Callable), writable: true, configurable: true }
      : property,
  );
}
Object.assign(RealmBuffer.prototype, { slice: RealmBuffer.prototype.subarray });
Object.assign(RealmBuffer, all(host.buffer.statics), {
  isBuffer: (value: unknown) => value instanceof RealmBuffer,
});

/** Copies a value as `structuredClone`. What is transferred is not copied. */
function clone(
  value: unknown,
  options?: { readonly transfer?: readonly object[] | undefined } | null,
): unknown {
  const copies = new Map<unknown, unknown>((options?.transfer ?? []).map((moved) => [moved, moved]));
  const copy = (of: unknown): unknown => {
    if (typeof of === 'function' || typeof of === 'symbol') throw new TypeError('It cannot be cloned.');
    if (typeof of !== 'object' || of === null) return of;
    if (copies.has(of)) return copies.get(of);
    const made = begun(of, copy);
    copies.set(of, made);
    if (of instanceof Map) for (const [key, item] of of) (made as typeof of).set(copy(key), copy(item));
    else if (of instanceof Set) for (const item of of) (made as typeof of).add(copy(item));
    else if (!ArrayBuffer.isView(of))
      for (const [key, item] of Object.entries(of))
        Object.defineProperty(made, key, {
          value: copy(item),
          writable: true,
          enumerable: true,
          configurable: true,
        });
    return made;
  };
  return copy(value);
}

type View = new (buffer: unknown, start: number, length: number) => object;

/** A new object of the same kind. Buffers, views, dates and errors are complete. */
function begun(of: object, copy: (value: unknown) => unknown): object {
  if (of instanceof ArrayBuffer) return of.slice(0);
  if (ArrayBuffer.isView(of)) {
    const { length = of.byteLength } = of as { length?: number | undefined };
    return new (of.constructor as View)(copy(of.buffer), of.byteOffset, length);
  }
  if (Array.isArray(of)) return [];
  if (of instanceof Map) return new Map();
  if (of instanceof Set) return new Set();
  if (of instanceof Date) return new Date(of);
  if (of instanceof Error) return Object.assign(new Error(of.message), { name: of.name });
  return {};
}

const silent = (): void => undefined;

const { now, ...functions } = all(host.functions);

Object.assign(globalThis, host.classes, functions, {
  global: globalThis,
  Buffer: RealmBuffer,
  structuredClone: clone,
  console: { debug: silent, error: silent, info: silent, log: silent, warn: silent },
  performance: { now },
  // Libraries look at it to see whether this is Node.
  process: {
    versions: { node: '20' },
    release: { name: 'node' },
    env: {},
    platform: 'linux',
    [Symbol.toStringTag]: 'process',
    // pdf.js makes a `require` that it does not use here.
    getBuiltinModule: () => ({ createRequire: silent }),
  },
});

/** The functions of `node:zlib` that jobs use. */
export const zlib = all(host.zlib);
