/**
 * Recognizes the requests that nearly all messages are, at a tenth of what the schemas of the SDK cost: each of these
 * walks the message once more, and in the first thousand calls of a session that is code which is not compiled yet.
 * Whatever is not recognized here goes through the schemas, which word all errors.
 */

import type { JSONRPCRequest, ServerContext } from '@modelcontextprotocol/server';

/** Whether `value`, as JSON was parsed, is a request that the SDK's `parseJSONRPCMessage` would return unchanged. */
export function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isRecord(value)) return false;
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  const fields = Object.keys(value).length;
  // `_meta` has a separate schema.
  return params === undefined ? fields === 3 : fields === 4 && isRecord(params) && !('_meta' in params);
}

export interface PlainCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of a request `tools/call` of a protocol before 2026-07-28 that has a name and arguments and nothing
 * else: the SDK's schema would return them unchanged. Undefined for any other.
 */
export function plainCallIn({ params }: JSONRPCRequest, { mcpReq }: ServerContext): PlainCall | undefined {
  if (!isRecord(params) || mcpReq.envelope || mcpReq.inputResponses || mcpReq.requestState() !== undefined)
    return undefined;
  const { name, arguments: given } = params;
  if (typeof name !== 'string' || !isRecord(given) || Object.keys(params).length !== 2) return undefined;
  return { name, arguments: given };
}

/** An object of JSON. The schemas leave out a field `__proto__`. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Object.prototype.hasOwnProperty.call(value, '__proto__')
  );
}
