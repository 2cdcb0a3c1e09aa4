// The structure of a text, asked of the built parser thread as the engine asks it.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

export const grammars = new URL('../../dist/grammars/', import.meta.url);

const worker = new Worker(new URL('../../dist/views/outline-worker.js', import.meta.url));
worker.unref();

/** Symbols of a text; none where it has no structure. A language's grammar goes by the language's own name. */
export async function symbolsOf(text, { grammar, queries }) {
  const query = queries.map((name) => readFileSync(new URL(`${name}.scm`, grammars), 'utf8')).join('\n');
  const wasm = readFileSync(new URL(`${grammar}.wasm.br`, grammars));
  const job = { text, language: grammar, grammar: { name: grammar, wasm, query }, within: 60_000 };
  const reply = await new Promise((resolve, reject) => {
    worker.once('message', ({ reply: found }) => resolve(found));
    worker.once('error', reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ job });
  }).finally(() => worker.removeAllListeners('error'));
  return typeof reply === 'string' ? [] : reply.symbols;
}
