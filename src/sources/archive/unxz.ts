/**
 * Unpacks xz with xz-decompress 0.2.3 (xz-embedded as WebAssembly). It streams, takes 2.4 s of CPU time for 105 MB of text,
 * and refuses dictionaries over 64 MiB before it allocates them.
 */

import { createRequire } from 'node:module';
import { OrielError } from '../../errors.ts';

/** Result codes of xz-embedded (xz.h, enum xz_ret), as the library gives them in its message. */
const TOO_MUCH_MEMORY = 4;
const UNKNOWN_OPTIONS = 6;
const ENDS_EARLY = 8;

/** The library is a CommonJS bundle whose exports `import` does not detect. */
const load = createRequire(import.meta.url);

export async function* unxz(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { XzReadableStream } = load('xz-decompress') as typeof import('xz-decompress');
  const source = packed[Symbol.asyncIterator]();
  const input = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await source.next();
        // An empty chunk marks the end of the input; without it the library would use the last chunk again.
        controller.enqueue(step.done ? new Uint8Array(0) : step.value);
      },
    },
    // No read-ahead, because the buffer of a chunk is reused for the next one.
    { highWaterMark: 0 },
  );
  const reader = new XzReadableStream(input).getReader();
  for (;;) {
    const step = await reader.read().catch((error: unknown) => {
      throw worded(error);
    });
    if (step.done) return;
    if (step.value.length > 0) yield step.value;
  }
}

function worded(error: unknown): OrielError {
  const code = Number(/error code (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]);
  if (code === TOO_MUCH_MEMORY)
    return new OrielError('LIMIT', 'its xz dictionary is larger than 64 MiB', { cause: error });
  if (code === UNKNOWN_OPTIONS)
    return new OrielError('UNSUPPORTED', 'its xz filters or checks are not supported', { cause: error });
  return new OrielError(
    'CORRUPT',
    code === ENDS_EARLY ? 'its packed data ends early' : 'its packed data is damaged',
    { cause: error },
  );
}
