/** An answer of oriel, from whichever way it came, as a `Reply`. */

import type { Answer } from '../../../src/index.ts';
import type { Reply } from './way.ts';

export function replyOf({ content, details, isError }: Answer, bytes: string): Reply {
  const error = details['error'] as { code: string } | undefined;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    code: error?.code ?? (isError ? 'unnamed' : 'OK'),
    isError,
    details,
    images: content.filter(({ type }) => type === 'image').length,
    bytes,
  };
}

/** In the parameters of `tools/call`: the details of the answer are wanted. */
export const DETAILED = { _meta: { 'io.github.oriel/details': true } } as const;

/** Of `tools/call`: an error of the protocol has the code `PROTOCOL`. */
export function replyOfMessage(message: Record<string, unknown>, bytes: string): Reply {
  const { result, error } = message as {
    result?: { content: Answer['content']; isError?: boolean; _meta?: Record<string, unknown> };
    error?: { message: string };
  };
  if (!result)
    return { text: error?.message ?? '', code: 'PROTOCOL', isError: true, details: {}, images: 0, bytes };
  const details = (result._meta?.['io.github.oriel/details'] ?? {}) as Answer['details'];
  return replyOf({ content: result.content, details, isError: result.isError === true }, bytes);
}
