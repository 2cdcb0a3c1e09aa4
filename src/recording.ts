/** Records ended calls in the telemetry of the session. The events are made from these records later. */

import type { CallOptions, Engine } from './engine/open-call.ts';
import { explained, report } from './engine/unexpected.ts';
import { listOf, noteOfText, readsOf } from './telemetry/call-facts.ts';
import type { Request } from './types/request.ts';
import type { Result } from './types/result.ts';

/** The facts of a call at its end. */
export interface EndedCall {
  readonly tool: string;
  readonly dialect: string;
  readonly options: CallOptions;
  /** The time at which it began, from `performance.now()`. */
  readonly began: number;
  /** The request to the engine and its result; undefined if the call failed before. */
  readonly request: Request | undefined;
  readonly result: Result | undefined;
  readonly answer: unknown;
  /** The code of its error. */
  readonly error?: string;
}

/** Never throws: a failure goes to `onError`, and the call is answered anyway. */
export function recordEnded(engine: Engine, call: EndedCall): void {
  const { telemetry } = engine.session;
  if (!telemetry) return;
  try {
    const { tool, dialect, options, began, request, result, error } = call;
    const { content = '', details, isError } = call.answer as Answered;
    const isText = result?.is === 'text';
    // One object literal with all fields in the same order is fastest: this runs in every call, before its answer is sent.
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

/** The parts of an answer that are recorded. Answers of tools consist of blocks, those of other interfaces of one string. */
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
