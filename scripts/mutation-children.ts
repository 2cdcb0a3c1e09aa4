/**
 * The pool of children of mutation tests: documents and pages are converted in the process of the tests, where the changes are,
 * and which tests reach them is known. What children are for, limits and realms, is tested with real ones.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { builtFile } from '../src/files/package-files.ts';
import {
  type ChildJob,
  ChildPool as RealPool,
  type ChildPoolOptions,
  type ChildReply,
} from '../src/process/child-pool.ts';
import { ChildFailure } from '../src/process/node-child.ts';

interface Realm {
  answer(head: string, body: Buffer): Promise<{ readonly reply: string; readonly body: Uint8Array }>;
}

const REALMS: Readonly<Record<string, () => Promise<Realm>>> = {
  'convert-child.js': () => import('../src/formats/document/convert-realm.ts'),
  'page-child.js': () => import('../src/formats/web/page-realm.ts'),
};

Object.assign(globalThis, {
  require: createRequire(import.meta.url),
  readPdfiumWasm: () => brotliDecompressSync(readFileSync(builtFile('wasm/pdfium.wasm.br'))),
  readSqliteWasm: () => readFileSync(builtFile('wasm/sqlite3.wasm')),
});

export class ChildPool {
  readonly #options: ChildPoolOptions;
  readonly #real: RealPool;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
    this.#real = new RealPool(options);
  }

  run(job: ChildJob, claim: Parameters<RealPool['run']>[1]): Promise<ChildReply> {
    const realm = REALMS[basename(this.#options.entry().pathname)];
    if (!realm) return this.#real.run(job, claim);
    return this.#options.queue.run(async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of job.body) pieces.push(Uint8Array.from(piece));
      const { answer } = await realm();
      const made = await answer(JSON.stringify(job.head), Buffer.concat(pieces)).catch((error: unknown) => {
        throw new ChildFailure('crashed', String(error));
      });
      claim.signal.throwIfAborted();
      if (made.body.length > job.maxOutput) throw new ChildFailure('output', 'wrote too much');
      return { head: JSON.parse(made.reply) as unknown, body: Buffer.from(made.body) };
    }, claim);
  }

  close(): void {
    this.#real.close();
  }
}
