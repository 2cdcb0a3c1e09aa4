/** One call of one tool, from its input to its answer: every step in order, and the one place where failures end. */

import type { Callable } from './dialects/dialect.ts';
import { type CallOptions, type Engine, openCall, takeSlot } from './engine/gate.ts';
import { perform } from './engine/perform.ts';
import { explained, report } from './engine/unexpected.ts';
import type { Limits } from './types/limits.ts';

export interface ToolCall extends CallOptions {
  /** The dialect's, with those of the host. */
  readonly limits: Limits;
  /** Checks the input and fills it in; absent where a face has made it to fit. Throws OrielError (`BAD_INPUT`). */
  accept?(input: unknown): unknown;
}

/** Never throws: a failure is an answer, and what it does not explain reaches the host's `onError`. */
export async function callTool<A>(
  engine: Engine,
  tool: Callable<A>,
  input: unknown,
  options: ToolCall,
): Promise<A> {
  let accepted: unknown;
  try {
    accepted = options.accept ? options.accept(input) : input;
    const { answer, ...order } = tool.prepare(accepted, options.limits);
    const slot = await takeSlot(engine, order.request, options);
    const open = openCall(engine, order, options, tool.name);
    // Registered first, so that it comes last: when all that the call has opened is closed.
    open.call.onEnd(() => slot.release());
    try {
      return answer(await open.settle(() => perform(order.request, open.call, order.policy)));
    } finally {
      await open.close();
    }
  } catch (error) {
    const failure = explained(error, options.signal);
    report(engine.onError, failure, tool.name);
    return tool.failure(failure, accepted);
  }
}
