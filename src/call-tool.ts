/** One call of a tool, from its input to its answer: all steps in order. All errors of a call are caught here. */

import type { Callable } from './dialects/dialect.ts';
import { PlaceError } from './errors.ts';
import { takeSlot } from './engine/call-slot.ts';
import { type CallOptions, type Engine, openCall } from './engine/open-call.ts';
import { read, readLines } from './engine/read.ts';
import { explained, report } from './engine/unexpected.ts';
import { recordEnded } from './recording.ts';
import type { Call } from './types/call.ts';
import type { Limits } from './types/limits.ts';
import type { TextPolicy } from './types/policy.ts';
import type { Request, RequestOf } from './types/request.ts';
import type { Result, ResultOf } from './types/result.ts';

export interface ToolCall extends CallOptions {
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
  tool: Callable<A>,
  input: unknown,
  options: ToolCall,
): Promise<A> {
  const { name } = tool;
  const { dialect } = options;
  let accepted: unknown;
  let request: Request | undefined;
  let result: Result | undefined;
  let began = Number.NaN;
  try {
    began = performance.now();
    accepted = options.accept ? options.accept(input) : input;
    const attempt = async (): Promise<A> => {
      const { answer, ...order } = tool.prepare(accepted, options.limits);
      request = order.request;
      const asked = performance.now();
      const slot = await takeSlot(engine, order, options);
      const open = openCall(engine, order, options, name, performance.now() - asked);
      // Cleanups run in reverse order: the slot is released after everything that the call opened is closed.
      open.call.onEnd(() => slot.release());
      try {
        const found = await open.settle(() => perform(order.request, open.call, order.policy));
        result = found;
        return answer(found);
      } finally {
        await open.close();
      }
    };
    const answered = await attempt().catch((error: unknown) => {
      // The path ended in a line range, which this tool takes in other fields: try again with the range in them.
      const placed = error instanceof PlaceError ? tool.placed?.(accepted, error.place) : undefined;
      if (placed === undefined) throw error;
      accepted = placed;
      return attempt();
    });
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

/** A request of the kind `K`. */
type RequestFor<K extends Kind> = { [P in K]: RequestOf[P] & { readonly do: P } }[K];

type Performers = {
  readonly [K in Kind]: (request: RequestOf[K], call: Call, policy: TextPolicy) => Promise<ResultOf[K]>;
};

/** Modules other than that of reading are loaded at their first use. */
const performers: Performers = {
  read,
  lines: readLines,
  run: async (request, call) => (await import('./engine/run.ts')).run(request, call),
  search: async (request, call) => (await import('./engine/search.ts')).search(request, call),
  count: async (request, call) => (await import('./engine/search.ts')).count(request, call),
  find: async (request, call) => (await import('./engine/find.ts')).find(request, call),
  symbols: async (request, call) =>
    (await import('./engine/code/find-symbols.ts')).findSymbols(request, call),
  list: async (request, call) => (await import('./engine/list.ts')).list(request, call),
};

function perform<K extends Kind>(
  request: RequestFor<K>,
  call: Call,
  policy: TextPolicy,
): Promise<ResultOf[K]> {
  return performers[request.do](request, call, policy);
}
