/** Notes a call that has ended: what it was asked, what it answered, how long that took. Its event is made later. */

import type { CallOptions, Engine } from './engine/open-call.ts';
import { explained, report } from './engine/unexpected.ts';
import { listOf, noteOfText, readsOf } from './telemetry/call-facts.ts';
import type { Request } from './types/request.ts';
import type { Result } from './types/result.ts';

/** A call as `callTool` knows it at its end. */
export interface EndedCall {
  readonly tool: string;
  readonly dialect: string;
  readonly options: CallOptions;
  /** When it began, as `performance.now()` counts. */
  readonly began: number;
  /** What the engine was asked, and what it found: absent if the call failed before. */
  readonly request: Request | undefined;
  readonly result: Result | undefined;
  readonly answer: unknown;
  /** The code of its failure. */
  readonly error?: string;
}

/** Never throws: a call that cannot be recorded is answered anyway. */
export function recordEnded(engine: Engine, call: EndedCall): void {
  const { telemetry } = engine.session;
  if (!telemetry) return;
  try {
    const { tool, dialect, options, began, request, result, error } = call;
    const { content = '', details, isError } = call.answer as Answered;
    const isText = result?.is === 'text';
    // All fields, in one order, and written out: this runs in every call, while somebody waits for its answer.
    telemetry.record(
      {
        task: options.task,
        caller: options.caller,
        host: options.host,
        dialect,
        tool,
        began,
        ms: performance.now() - began,
        bytes: bytesOf(content),
        images: imagesOf(content),
        error: error ?? (isError === true ? codeIn(details) : undefined),
        text: isText ? noteOfText(result, dialect) : undefined,
        reads: isText || !request ? undefined : readsOf(request, result, dialect),
        list: request && listOf(request, details),
      },
      options.trace,
    );
  } catch (thrown) {
    report(engine.onError, explained(thrown), call.tool);
  }
}

/** Answers of tools have blocks, those of other faces a text. */
interface Answered {
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

function bytesOf(content: NonNullable<Answered['content']>): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  let bytes = 0;
  for (const { type, text } of content)
    if (type === 'text' && text !== undefined) bytes += Buffer.byteLength(text);
  return bytes;
}

function imagesOf(content: NonNullable<Answered['content']>): number | undefined {
  if (typeof content === 'string') return undefined;
  let images = 0;
  for (const { type, text } of content) if (type !== 'text' || text === undefined) images += 1;
  return images > 0 ? images : undefined;
}

function codeIn(details: Answered['details']): string {
  const { code } = Object(details?.['error']) as { code?: unknown };
  return typeof code === 'string' ? code : 'UNKNOWN';
}
