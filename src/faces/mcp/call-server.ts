/** The SDK's server, with a fast path for plain calls of tools, and requests that can be ended with an error. */

import {
  type JSONRPCRequest,
  type RequestId,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { OrielError } from '../../errors.ts';
import { type PlainCall, plainCallIn } from './plain-messages.ts';
import { SERVER_ERROR } from './refusals.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

type Answer = (call: PlainCall, context: ServerContext) => Promise<Result>;

/**
 * The SDK validates each call twice and its result once. A plain call goes directly to the tool, and its result, which is
 * typed, is sent without validation.
 */
export class CallServer extends Server {
  #answer: Answer | undefined;
  /** Requests whose handlers are running. */
  readonly #running = new Set<RequestId>();

  /** `answer` handles plain calls; the handler of `tools/call` handles the others. */
  answerPlainCalls(answer: Answer): void {
    this.#answer = answer;
  }

  /** Answers those of the requests that are running with `error`, and cancels them. */
  fail(ids: readonly RequestId[], { message, code }: OrielError): void {
    const { transport } = this;
    for (const id of ids) {
      if (!this.#running.delete(id)) continue;
      const error = { code: SERVER_ERROR, message, data: { code } };
      void transport?.send({ jsonrpc: '2.0', id, error }).catch((failed: Error) => this.onerror?.(failed));
      const params = { requestId: id, reason: message };
      transport?.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    return async (request, context) => {
      const { id } = context.mcpReq;
      this.#running.add(id);
      try {
        const call = method === 'tools/call' ? plainCallIn(request, context) : undefined;
        return await (call && this.#answer ? this.#answer(call, context) : checked(request, context));
      } finally {
        this.#running.delete(id);
      }
    };
  }
}
