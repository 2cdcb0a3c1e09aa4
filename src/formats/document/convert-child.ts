/**
 * The child process that converts documents, each in a realm of its own. They arrive in frames on standard input, one after the
 * other; each is answered with a frame on standard output. The process opens no file and no connection.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import { builtFile } from '../../files/package-files.ts';
import { answerJobs } from '../../process/child-jobs.ts';
import { harden, JobRealms } from '../../process/job-realm.ts';

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
        inspected = { digest, said: library.extractPagesMarkdownAsync(bytes).then(JSON.stringify, refuse) };
      return JSON.parse(await inspected.said) as ReturnType<typeof library.extractPagesMarkdownAsync>;
    },
  };
}

/** The next job may get the same error. */
function refuse(error: unknown): never {
  harden(error);
  throw error;
}

function anydoc(): unknown {
  const { toMarkdownBytes } = load('@firecrawl/anydoc') as typeof import('@firecrawl/anydoc');
  return { toMarkdownBytes };
}

const realms = new JobRealms(
  new URL('convert-realm.cjs', import.meta.url),
  {
    '@firecrawl/anydoc': anydoc,
    '@firecrawl/pdf-inspector': inspector,
  },
  {
    readPdfiumWasm: () => brotliDecompressSync(readFileSync(builtFile('wasm/pdfium.wasm.br'))),
    readSqliteWasm: () => readFileSync(builtFile('wasm/sqlite3.wasm')),
  },
);

await answerJobs(MAX_DOCUMENT_INPUT_BYTES, (head, body) => realms.answer(head, body));
