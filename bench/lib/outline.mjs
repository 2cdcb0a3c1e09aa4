// Gets the structure of a text from the built parser thread, as the engine does.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

export const grammars = new URL('../../dist/grammars/', import.meta.url);

const worker = new Worker(new URL('../../dist/code/outline-worker.js', import.meta.url));
worker.unref();

/** The first message of a thread says that its modules are loaded. */
const loaded = new Promise((resolve) => worker.once('message', resolve));

/** Symbols of a text; none if it has no structure. */
export async function symbolsOf(text, { grammar, queries }) {
  const query = queries.map((name) => readFileSync(new URL(`${name}.scm`, grammars), 'utf8')).join('\n');
  const wasm = readFileSync(new URL(`${grammar}.wasm.br`, grammars));
  const job = {
    kind: 'parse',
    text,
    language: grammar,
    grammar: { name: grammar, wasm, query },
    within: 60_000,
  };
  await loaded;
  const reply = await new Promise((resolve, reject) => {
    worker.once('message', ({ reply: found }) => resolve(found));
    worker.once('error', reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ job });
  }).finally(() => worker.removeAllListeners('error'));
  return typeof reply === 'string' ? [] : JSON.parse(reply.json).symbols;
}
