/** One call of a tool, from its input to its answer: all steps in order. All errors of a call are caught here. */

import { listFacts, readFacts } from '../telemetry/call-facts.ts';
import type { Call } from '../types/call.ts';
import type { Limits, TextPolicy } from '../types/excerpt.ts';
import type { EngineRequest, RequestOf } from '../types/request.ts';
import type { EngineResult, ResultOf } from '../types/result.ts';
import type { CallableTool } from './dialect.ts';
import { type Engine, openCall, type SizedCallOptions, takeSlot } from './open-call.ts';
import { read, readLines } from './read.ts';
import { explained, report } from './unexpected.ts';

interface ToolCall extends SizedCallOptions {
  /** The limits of the dialect, changed by those of the host. */
  readonly limits: Limits;
  /** The name of the dialect. */
  readonly dialect: string;
  /** Validates the input and adds defaults; absent if the caller has built a valid input. Throws OrielError (`BAD_INPUT`). */
  accept?(input: unknown): unknown;
}

/** Never throws: an error becomes an answer. Unexpected errors are also passed to the host's `onError`. */
export async function callTool<A>(
  engine: Engine,
  tool: CallableTool<A>,
  input: unknown,
  options: ToolCall,
): Promise<A> {
  const { name } = tool;
  const { dialect } = options;
  let accepted: unknown;
  let request: EngineRequest | undefined;
  let result: EngineResult | undefined;
  let began = Number.NaN;
  try {
    began = performance.now();
    accepted = options.accept ? options.accept(input) : input;
    const { answer, ...order } = tool.prepare(accepted, options.limits);
    request = order.request;
    const asked = performance.now();
    const slot = await takeSlot(engine, order, options);
    const open = openCall(engine, order, options, name, performance.now() - asked);
    // Cleanups run in reverse order: the slot is released after everything that the call opened is closed.
    open.call.onEnd(() => slot.release());
    let answered: A;
    try {
      const found = await open.settle(() => perform(order.request, open.call, order.policy));
      result = found;
      answered = answer(found);
    } finally {
      await open.close();
    }
    recordEnded(engine, { tool: name, dialect, options, began, request, result, answer: answered });
    return answered;
  } catch (thrown) {
    const failure = explained(thrown, options.signal);
    report(engine.onError, failure, name);
    const answered = tool.failure(failure, accepted);
    const error = failure.code;
    recordEnded(engine, { tool: name, dialect, options, began, request, result, answer: answered, error });
    return answered;
  }
}

type Kind = keyof RequestOf;

type RequestFor<K extends Kind> = { [P in K]: RequestOf[P] & { readonly kind: P } }[K];

type Performers = {
  readonly [K in Kind]: (request: RequestOf[K], call: Call, policy: TextPolicy) => Promise<ResultOf[K]>;
};

/** Modules other than that of reading are loaded at their first use. */
const performers: Performers = {
  read,
  lines: readLines,
  run: async (request, call) => (await import('./run.ts')).run(request, call),
  search: async (request, call) => (await import('../search/search.ts')).search(request, call),
  count: async (request, call) => (await import('../search/search.ts')).countMatches(request, call),
  find: async (request, call) => (await import('../search/find.ts')).find(request, call),
  symbols: async (request, call) => (await import('../search/find-symbols.ts')).searchSymbols(request, call),
  list: async (request, call) => (await import('../search/list.ts')).list(request, call),
};

function perform<K extends Kind>(
  request: RequestFor<K>,
  call: Call,
  policy: TextPolicy,
): Promise<ResultOf[K]> {
  return performers[request.kind](request, call, policy);
}

// Records ended calls in the telemetry of the session.

/** The facts of a call at its end. */
interface EndedCall {
  readonly tool: string;
  readonly dialect: string;
  readonly options: SizedCallOptions;
  /** The time at which it began, from `performance.now()`. */
  readonly began: number;
  /** The request to the engine and its result; undefined if the call failed before. */
  readonly request: EngineRequest | undefined;
  readonly result: EngineResult | undefined;
  readonly answer: unknown;
  /** The code of its error. */
  readonly error?: string | undefined;
}

/** Never throws: a failure goes to `onError`, and the call is answered anyway. Exported to be measured. */
export function recordEnded(engine: Engine, call: EndedCall): void {
  const { telemetry } = engine.session;
  if (!telemetry) return;
  try {
    const { tool, dialect, options, began, request, result, error } = call;
    const { content = '', details, isError } = call.answer as Answered;
    const ms = performance.now() - began;
    telemetry.record(
      {
        task: options.task,
        caller: options.caller,
        host: options.host,
        dialect,
        tool,
        at: Math.round(Date.now() - ms),
        ms,
        bytes: bytesOf(content),
        images: imagesOf(content),
        error: error ?? (isError === true ? codeIn(details) : undefined),
        reads: request && readFacts(request, result, dialect),
        list: request && listFacts(request, details),
      },
      options.trace,
    );
  } catch (thrown) {
    report(engine.onError, explained(thrown), call.tool);
  }
}

/** The parts of an answer that are recorded. Answers of tools consist of blocks, those of other interfaces of one string. */
interface Answered {
  readonly content?:
    | string
    | readonly { readonly type: string; readonly text?: string | undefined }[]
    | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean | undefined;
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
