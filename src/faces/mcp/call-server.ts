/** The SDK's server, with a shorter way for calls of tools that need none of its checks. */

import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';
import { type PlainCall, plainCallIn } from './plain-messages.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

type Answer = (call: PlainCall, context: ServerContext) => Promise<Result>;

/**
 * The SDK checks each call of a tool twice against its schema, and its result once, which a tool of ours has built with
 * its types. A plain call goes to the tool at once, and its result out as it is.
 */
export class CallServer extends Server {
  #answer: Answer | undefined;

  /** `answer` is for plain calls; the handler that is set for `tools/call` answers the others. */
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
