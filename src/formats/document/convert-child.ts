/**
 * The child process that converts documents, each in a realm of its own. They arrive in frames on standard input, one after the
 * other; each is answered with a frame on standard output. The process opens no file and no connection.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { answerJobs } from '../../process/child-jobs.ts';
import { JobRealms } from '../../process/job-realm.ts';

/** The most bytes of an input frame; no document that is sent is larger. */
const MAX_DOCUMENT_INPUT_BYTES = 512 << 20;

const load = createRequire(import.meta.url);

/** What the inspector says of the last PDF, as text: it reads all pages for each part of a document. */
let inspected: { readonly digest: string; readonly said: Promise<string> } | undefined;

function inspector(): Pick<typeof import('@firecrawl/pdf-inspector'), 'extractPagesMarkdownAsync'> {
  const library = load('@firecrawl/pdf-inspector') as typeof import('@firecrawl/pdf-inspector');
  return {
    async extractPagesMarkdownAsync(bytes) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      if (inspected?.digest !== digest)
        inspected = { digest, said: library.extractPagesMarkdownAsync(bytes).then(JSON.stringify) };
      return JSON.parse(await inspected.said) as ReturnType<typeof library.extractPagesMarkdownAsync>;
    },
  };
}

/** Its `loadImage` takes only buffers of this realm. */
function canvas(): unknown {
  const library = load('@napi-rs/canvas') as typeof import('@napi-rs/canvas');
  return { ...library, loadImage: (bytes: Uint8Array) => library.loadImage(Buffer.from(bytes)) };
}

const realms = new JobRealms(
  new URL('convert-realm.cjs', import.meta.url),
  {
    '@firecrawl/anydoc': () => load('@firecrawl/anydoc') as unknown,
    '@firecrawl/pdf-inspector': inspector,
    '@napi-rs/canvas': canvas,
  },
  { readSqliteWasm: () => readFileSync(load.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm')) },
);

await answerJobs(MAX_DOCUMENT_INPUT_BYTES, (head, body) => realms.answer(head, body));
