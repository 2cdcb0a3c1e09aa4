/** The SDK's server, with a fast path for plain calls of tools, and requests that can be ended with an error. */

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

type Answer = (call: PlainCall, context: ServerContext) => Promise<Result>;

/**
 * The SDK validates each call twice and its result once. A plain call goes directly to the tool, and its result, which is
 * typed, is sent without validation.
 */
export class CallServer extends Server {
  /** Whether a client of this name, which `initialize` gave, is not told that there are resources. */
  hidesResources: (client: string | undefined) => boolean = () => false;
  /** Receives sentences for the log. */
  warn: ((sentence: string) => void) | undefined;
  #answer: Answer | undefined;
  readonly #running = new Set<RequestId>();

  override getCapabilities(): ServerCapabilities {
    const { resources, ...others } = super.getCapabilities();
    return this.hidesResources(this.getClientVersion()?.name) ? others : { ...others, resources };
  }

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

  /** Notes what the client asked for in vain. */
  #noteGreeting({ params = {} }: JSONRPCRequest, { protocolVersion: given }: Result): void {
    const { protocolVersion, capabilities: _, clientInfo: __, _meta, ...others } = params;
    const [odd] = Object.keys(others);
    if (protocolVersion !== given)
      this.warn?.(
        `The client asked for version ${quote(String(protocolVersion))} of MCP, and got ${String(given)}.`,
      );
    if (odd !== undefined)
      this.warn?.(`The client sent the field ${quote(odd)} with initialize, which has no such field.`);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    return async (request, context) => {
      const { id } = context.mcpReq;
      this.#running.add(id);
      try {
        const call = method === 'tools/call' ? plainCallIn(request, context) : undefined;
        const result = await (call && this.#answer ? this.#answer(call, context) : checked(request, context));
        if (method === 'initialize') this.#noteGreeting(request, result);
        return result;
      } catch (error) {
        const failure = schemaFailure(method, error);
        if (failure) this.warn?.(failure.message);
        throw failure ?? error;
      } finally {
        this.#running.delete(id);
      }
    };
  }
}

/** The issues that the SDK's schemas found in a request, as one sentence; undefined for another error. */
function schemaFailure(method: string, error: unknown): ProtocolError | undefined {
  // The SDK passes them on as JSON, in one case after a few words.
  const json =
    error instanceof Error
      ? /^(?:Invalid [\w/]+ request: )?(\[\s.*\])$/s.exec(error.message)?.[1]
      : undefined;
  if (json === undefined) return undefined;
  const [issue] = JSON.parse(json) as { path: PropertyKey[]; message: string }[];
  const field = quote(issue?.path.join('.') ?? '');
  const why = issue?.message.endsWith('received undefined') ? 'is missing' : `is wrong: ${issue?.message}`;
  const example = method === 'tools/call' ? ' Use "params":{"name":"read","arguments":{"path":"."}}.' : '';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `In ${method} ${field} ${why}.${example}`);
}

// Recognizes plain requests, which nearly all messages are, at a tenth of the cost of the SDK's schemas. Each schema
// traverses the message again, in code that is not optimized yet in the first thousand calls of a session. Messages that
// are not recognized here are validated by the schemas, which also report all errors.

/** Whether `value` (parsed JSON) is a request that the SDK's `parseJSONRPCMessage` would return unchanged. */
export function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isRecord(value)) return false;
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  const fields = Object.keys(value).length;
  // `_meta` has a schema of its own.
  return params === undefined ? fields === 3 : fields === 4 && isRecord(params) && !('_meta' in params);
}

interface PlainCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of a `tools/call` request (protocol before 2026-07-28) that has only a name and arguments, which the SDK's
 * schema would return unchanged. Undefined for any other request.
 */
export function plainCallIn({ params }: JSONRPCRequest, { mcpReq }: ServerContext): PlainCall | undefined {
  if (!isRecord(params) || mcpReq.envelope || mcpReq.inputResponses || mcpReq.requestState() !== undefined)
    return undefined;
  const { name, arguments: given } = params;
  if (typeof name !== 'string' || !isRecord(given) || Object.keys(params).length !== 2) return undefined;
  return { name, arguments: given };
}

/** Whether it is a JSON object without a field `__proto__`, which the schemas would remove. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Object.prototype.hasOwnProperty.call(value, '__proto__')
  );
}

// What messages over stdio and over HTTP have in common before a server sees them.

/** Removes `params: null` and `arguments: null`, which some clients send for none, from parsed JSON: a message or a batch. */
export function withoutNulls(value: unknown): unknown {
  for (const one of [value].flat()) removeNulls(one);
  return value;
}

function removeNulls(value: unknown): void {
  const message = Object(value) as { params?: unknown };
  const params = Object(message.params) as { arguments?: unknown };
  if (message.params === null) delete message.params;
  if (params.arguments === null) delete params.arguments;
}

/** Whether the id was rounded by the parser, so that no client would recognize it in a response. */
export function hasRoundedId(message: unknown): boolean {
  const { id } = Object(message) as { id?: unknown };
  return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

/** Sent with the id null. */
export const ROUNDED_ID = {
  code: INVALID_REQUEST,
  message: 'The id is too large to be returned exactly. Use one below 2^53, or a string.',
} as const;

export const DUPLICATE_ID = {
  code: INVALID_REQUEST,
  message: 'A request with this id is still being answered.',
} as const;

export const NO_BATCHES = {
  code: INVALID_REQUEST,
  message: 'This version of MCP has no batches. Send each message of the list alone, on a line of its own.',
} as const;

/** Maximum messages of a batch, as in the SDK. */
export const MAX_BATCH_MESSAGES = 100;

export const EMPTY_OR_LONG_BATCH = {
  code: INVALID_REQUEST,
  message: `A batch has at least one message, and at most ${MAX_BATCH_MESSAGES}.`,
} as const;

/** The lowest code that JSON-RPC leaves to servers. */
export const SERVER_ERROR = -32000;
