// Loaded by NODE_OPTIONS=--import: counts the files and directories that all threads of a process open. `globalThis.opens()`
// gives the count; with ORIEL_SAY_OPENS the process prints it on stderr at exit.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

const SHARED = 'oriel opens';

const cells = new Int32Array(
  workerThreads.isMainThread ? new SharedArrayBuffer(4) : workerThreads.getEnvironmentData(SHARED),
);

function counted(owner, name) {
  const real = owner[name];
  owner[name] = function (...args) {
    Atomics.add(cells, 0, 1);
    return real.apply(this, args);
  };
}

for (const name of ['openSync', 'opendirSync', 'readdirSync', 'open', 'opendir', 'readdir']) {
  counted(fs, name);
  if (!name.endsWith('Sync')) counted(fs.promises, name);
}

if (workerThreads.isMainThread) {
  workerThreads.setEnvironmentData(SHARED, cells.buffer);
  globalThis.opens = () => Atomics.load(cells, 0);
  if (process.env['ORIEL_SAY_OPENS'])
    process.once('exit', () => fs.writeSync(2, `opens ${globalThis.opens()}\n`));
}

const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(file, options = {}) {
    super(file, { ...options, execArgv: [...(options.execArgv ?? []), '--import', import.meta.url] });
  }
};
syncBuiltinESMExports();
