/** Shows the output of a command on a terminal while it runs, and below it only how the command ended. */

import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { makeVisible } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { paint, usesColour } from './colour.ts';

export interface LiveOutput {
  /** Shows a chunk, whose memory may be reused afterwards. Wait for a returned promise before the next chunk: backpressure. */
  write(this: void, chunk: Uint8Array): Promise<void> | undefined;
  hasBegun(): boolean;
  /** Shows how the command ended, if it failed, and where a long output is kept. */
  end(answer: Answer): void;
}

export function liveOutput(out: NodeJS.WriteStream): LiveOutput {
  const decoder = new StringDecoder('utf8');
  let last = '';
  return {
    write(chunk) {
      const text = decoder.write(Buffer.from(chunk));
      if (text === '') return undefined;
      last = text;
      // Escape sequences could repaint the terminal.
      return out.write(makeVisible(text).text) ? undefined : drained(out);
    },
    hasBegun: () => last !== '',
    end({ details }) {
      const error = details['error'] as { readonly message?: string } | undefined;
      const { artifact } = (details['output'] ?? {}) as { readonly artifact?: string };
      const said = [
        ...(error?.message === undefined ? [] : [error.message]),
        ...(artifact === undefined ? [] : [`[The whole output is kept: oriel read ${artifact}]`]),
      ];
      if (!last.endsWith('\n')) out.write('\n');
      for (const line of said) out.write(`${usesColour(out) ? paint('yellow', line) : line}\n`);
    },
  };
}

async function drained(out: NodeJS.WriteStream): Promise<void> {
  await once(out, 'drain');
}
