/**
 * The child process that converts documents, each in a realm of its own. They arrive in frames on standard input, one after the
 * other; each is answered with a frame on standard output. The process opens no file and no connection.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** What pdf.js and our code need of it: it also has fonts for all documents, and reads files. */
function canvas(): unknown {
  const { createCanvas, DOMMatrix, Image, ImageData, loadImage, Path2D } = load(
    '@napi-rs/canvas',
  ) as typeof import('@napi-rs/canvas');
  const made = createCanvas(1, 1);
  const context = made.getContext('2d');
  const examples = [
    made,
    context,
    context.createLinearGradient(0, 0, 1, 1),
    context.createPattern(made, 'repeat'),
    context.getTransform(),
    new Image(),
  ];
  replaceable(Object.getPrototypeOf(context) as object);
  for (const example of examples) harden(Object.getPrototypeOf(example));
  return {
    createCanvas: (width: number, height: number) => createCanvas(width, height),
    DOMMatrix,
    ImageData,
    // It takes only buffers of this realm.
    loadImage: (bytes: Uint8Array) => loadImage(Buffer.from(bytes)),
    Path2D,
  };
}

/** pdf.js assigns methods to contexts, which a frozen prototype would prevent. */
function replaceable(prototype: object): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    if (typeof value === 'function' && name !== 'constructor') {
      harden(value);
      Object.defineProperty(prototype, name, {
        get: () => value as unknown,
        set(own: unknown) {
          Object.defineProperty(this, name, { value: own, writable: true, configurable: true });
        },
      });
    }
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
    '@napi-rs/canvas': canvas,
  },
  { readSqliteWasm: () => readFileSync(builtFile('wasm/sqlite3.wasm')) },
);

await answerJobs(MAX_DOCUMENT_INPUT_BYTES, (head, body) => realms.answer(head, body));
