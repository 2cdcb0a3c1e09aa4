// Loaded into a process under test: counts the operations on files, processes and connections in all of its threads, and
// makes the n-th one fail; `globalThis.faults` arms it, and picks one of FAULTS, a JSON list of [name, code, times]: opening
// a file of this name fails with this code so many times (or always, without `times`).
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';

const SHARED = 'oriel faults';
/** Error codes by kind of operation: [a permanent failure, a shortage of a resource]. */
const CODES = {
  open: ['EIO', 'EMFILE'],
  ask: ['EIO', 'EIO'],
  read: ['EIO', 'SHORT'],
  write: ['ENOSPC', 'SHORT'],
  start: ['EAGAIN', 'EMFILE'],
  connect: ['ECONNRESET', 'ETIMEDOUT'],
};

const kindOf = (name) =>
  /^(?:open|mkd)/.test(name)
    ? 'open'
    : /^read(?:Sync)?$/.test(name)
      ? 'read'
      : name.startsWith('write')
        ? 'write'
        : 'ask';
// Indices of the cells: operations so far, the number of the one that fails (0 for none), which kind of failure, how often
// it failed, which of FAULTS is picked (1-based, 0 for none), and how often its file was opened.
const [COUNT, AT, HOW, HIT, PICKED, TRIED] = [0, 1, 2, 3, 4, 5];

const cells = new Int32Array(
  workerThreads.isMainThread ? new SharedArrayBuffer(24) : workerThreads.getEnvironmentData(SHARED),
);

/** Counts an operation of this kind; the error code if it is the one that fails. */
function strikes(kind) {
  const at = Atomics.load(cells, AT);
  if (at < 0) return undefined;
  const now = Atomics.add(cells, COUNT, 1) + 1;
  if (now !== at) return undefined;
  Atomics.add(cells, HIT, 1);
  return CODES[kind][Atomics.load(cells, HOW)];
}

// Worker threads get them as environment data, not from the environment.
if (workerThreads.isMainThread)
  workerThreads.setEnvironmentData('damages', JSON.parse(process.env.FAULTS ?? '[]'));
const listed = workerThreads.getEnvironmentData('damages');

/** The error code if this call opens the file that cannot be opened. */
function damages(name, path) {
  const [damaged, code, times = Infinity] = listed[Atomics.load(cells, PICKED) - 1] ?? [];
  if (!damaged || !name.startsWith('open') || !String(path).endsWith(`/${damaged}`)) return undefined;
  return Atomics.add(cells, TRIED, 1) < times ? code : undefined;
}

function errorOf(code, syscall) {
  return Object.assign(new Error(`${code}: made by a test, ${syscall}`), { code, syscall, errno: -5 });
}

/** Half of a requested length, at least one byte. */
const half = (length) => Math.max(1, length >> 1);

/** The arguments of a read or write of a buffer, (fd, buffer, offset, length, …), with half the length. */
function shortened(args) {
  if (typeof args[3] !== 'number' || !ArrayBuffer.isView(args[1])) return args;
  return args.with(3, half(args[3]));
}

const SYNC = [
  'openSync',
  'readSync',
  'writeSync',
  'fstatSync',
  'lstatSync',
  'statSync',
  'readdirSync',
  'readlinkSync',
];
const CALLBACK = ['open', 'read', 'write', 'fstat', 'lstat', 'stat', 'readlink', 'readdir'];

for (const name of SYNC) {
  const real = fs[name];
  fs[name] = function (...args) {
    const code = damages(name, args[0]) ?? strikes(kindOf(name));
    if (code === undefined) return real.apply(this, args);
    if (code === 'SHORT') return real.apply(this, shortened(args));
    throw errorOf(code, name);
  };
}

for (const name of CALLBACK) {
  const real = fs[name];
  fs[name] = function (...args) {
    const code = damages(name, args[0]) ?? strikes(kindOf(name));
    if (code === undefined) return real.apply(this, args);
    if (code === 'SHORT') return real.apply(this, shortened(args));
    const done = args.at(-1);
    return void process.nextTick(done, errorOf(code, name));
  };
}

for (const name of [
  'open',
  'lstat',
  'stat',
  'readlink',
  'readdir',
  'opendir',
  'mkdtemp',
  'mkdir',
  'rename',
  'readFile',
  'writeFile',
]) {
  const real = fs.promises[name];
  fs.promises[name] = async function (...args) {
    const code = damages(name, args[0]) ?? strikes(kindOf(name));
    if (code === undefined) return real.apply(this, args);
    throw errorOf(code, name);
  };
}

const handle = await fs.promises.open(process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ['read', 'write', 'stat']) {
  const real = prototype[name];
  prototype[name] = async function (...args) {
    const code = strikes(kindOf(name));
    if (code === undefined) return real.apply(this, args);
    if (code !== 'SHORT') throw errorOf(code, name);
    if (name === 'stat' || typeof args[2] !== 'number') return real.apply(this, args);
    return real.apply(this, args.with(2, half(args[2])));
  };
}

const spawn = childProcess.ChildProcess.prototype.spawn;
childProcess.ChildProcess.prototype.spawn = function (options) {
  const code = strikes('start');
  if (code === undefined) return spawn.call(this, options);
  throw errorOf(code, 'spawn');
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const code = strikes('connect');
  if (code !== undefined) {
    process.nextTick(() => this.destroy(errorOf(code, 'connect')));
    return this;
  }
  const reset = this;
  const push = this.push;
  this.push = function (chunk, ...more) {
    const inner = chunk === null ? undefined : strikes('connect');
    if (inner === undefined) return push.call(this, chunk, ...more);
    reset.destroy(errorOf(inner, 'read'));
    return false;
  };
  return connect.apply(this, args);
};

const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(file, options = {}) {
    const code = strikes('start');
    if (code !== undefined) throw errorOf(code, 'thread');
    super(file, { ...options, execArgv: ['--import', import.meta.url] });
  }
};

if (workerThreads.isMainThread) {
  workerThreads.setEnvironmentData(SHARED, cells.buffer);
  Atomics.store(cells, AT, -1);
  globalThis.faults = {
    /** Starts counting; operation `at` (1-based, 0 for none) fails: permanently (`how` 0) or for a shortage (1). */
    arm(at, how = 0) {
      Atomics.store(cells, AT, -1);
      Atomics.store(cells, COUNT, 0);
      Atomics.store(cells, HIT, 0);
      Atomics.store(cells, HOW, how);
      Atomics.store(cells, AT, at);
    },
    /** From now on the file of this one of FAULTS (1-based, 0 for none) cannot be opened. */
    pick(at) {
      Atomics.store(cells, TRIED, 0);
      Atomics.store(cells, PICKED, at);
    },
    /** Stops counting: how many operations there were, and whether one failed. */
    disarm() {
      Atomics.store(cells, AT, -1);
      return { count: Atomics.load(cells, COUNT), hit: Atomics.load(cells, HIT) > 0 };
    },
  };
}
syncBuiltinESMExports();
