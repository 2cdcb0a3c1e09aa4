/** The SDK's server, with a fast path for plain calls of tools. */

import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';
import { type PlainCall, plainCallIn } from './plain-messages.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

type Answer = (call: PlainCall, context: ServerContext) => Promise<Result>;

/**
 * The SDK validates each call twice and its result once. A plain call goes directly to the tool, and its result, which is
 * typed, is sent without validation.
 */
export class CallServer extends Server {
  #answer: Answer | undefined;

  /** `answer` handles plain calls; the handler of `tools/call` handles the others. */
  answerPlainCalls(answer: Answer): void {
    this.#answer = answer;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return checked;
    return (request, context) => {
      const call = plainCallIn(request, context);
      return call && this.#answer ? this.#answer(call, context) : checked(request, context);
    };
  }
}
