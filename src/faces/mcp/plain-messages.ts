/**
 * Recognizes plain requests, which nearly all messages are, at a tenth of the cost of the SDK's schemas. Each schema
 * traverses the message again, in code that is not optimized yet in the first thousand calls of a session. Messages that
 * are not recognized here are validated by the schemas, which also report all errors.
 */

import type { JSONRPCRequest, ServerContext } from '@modelcontextprotocol/server';

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

export interface PlainCall {
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
