/** Converts a document in this thread, as in the child of a call, and checks the reply. */

import { isUtf8 } from 'node:buffer';
import { answerDocument } from '../../../src/formats/document/child/answer.ts';
import type { DocumentJob } from '../../../src/formats/document/protocol.ts';
import { must } from './fuzz-target.ts';
import type { Random } from './random.ts';

/** Most bytes of a text. */
const MOST = 4_096;

/** Mostly what the format has. */
function jobFor(format: string, random: Random): DocumentJob {
  const wants: readonly DocumentJob['want'][] = [
    { kind: 'whole' },
    ...(/^(?:pptx?|pdf)$/.test(format) ? [{ kind: 'pages', from: 1 } as const] : []),
    ...(/^(?:xlsx?|ods)$/.test(format)
      ? ([
          { kind: 'sheet', sheet: 'S' },
          { kind: 'sheet', sheet: '1', range: 'A1:B9' },
          { kind: 'rest' },
        ] as const)
      : []),
  ];
  const want = random.below(16) === 0 ? ({ kind: 'pages', from: 2 } as const) : random.pick(wants);
  return { want, most: MOST };
}

/** Rejects if a law of replies is broken. `format` is what the document was before it was damaged. */
export async function convert(bytes: Buffer, format: string, random: Random): Promise<void> {
  const { reply, body } = await quietly(() => answerDocument(jobFor(format, random), bytes));
  must(reply.kind === 'text' || reply.kind === 'refused', 'a document has a text, or is refused');
  must(body.length <= MOST, 'a text is bounded');
  must(isUtf8(body), 'a text ends after a character');
  must(JSON.stringify(reply).length <= 64 * (bytes.length + 64), 'facts are bounded');
}

/** As in the child: SheetJS reports each record that it does not know, and pdf.js leaves rejected promises. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { error } = console;
  console.error = () => undefined;
  // For what is rejected later, too.
  if (process.listenerCount('unhandledRejection') === 0) process.on('unhandledRejection', () => undefined);
  try {
    return await work();
  } finally {
    console.error = error;
  }
}
