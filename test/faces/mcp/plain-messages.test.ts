import {
  type JSONRPCRequest,
  parseJSONRPCMessage,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { isPlainRequest, plainCallIn } from '../../../src/faces/mcp/call-server.ts';
import { toolResult } from '../../../src/faces/mcp/tool-result.ts';
import type { Answer } from '../../../src/types/answer.ts';
import { session } from '../../support/wire.ts';
import { workspace } from '../../support/workspace.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
const call = { name: 'read', arguments: { path: 'f', deep: [{ __proto: 1 }] } };

test.each([
  [{ ...request, params: call }, true],
  [{ ...request, id: 'text' }, true],
  [{ ...request, params: {} }, true],
  [{ ...request, params: { _meta: {} } }, false],
  [{ ...request, params: [] }, false],
  [{ ...request, params: null }, false],
  [{ ...request, id: 1.5 }, false],
  [{ ...request, id: 2 ** 53 }, false],
  [{ ...request, id: null }, false],
  [{ ...request, method: 1 }, false],
  [{ ...request, jsonrpc: '1.0' }, false],
  [{ ...request, other: 1 }, false],
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }, false],
  [{ jsonrpc: '2.0', id: 1, result: {} }, false],
  [[], false],
  [null, false],
])('%j is recognized without the schema: %s', (value, plain) => {
  expect(isPlainRequest(value)).toBe(plain);
  if (plain) expect(JSON.stringify(parseJSONRPCMessage(value))).toBe(JSON.stringify(value));
});

test('a field __proto__ reaches the schema, which removes it', () => {
  const parsed = (text: string): unknown => JSON.parse(text);
  const inside = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{},"a":1}}';
  expect(isPlainRequest(parsed(inside))).toBe(false);
  expect(isPlainRequest(parsed('{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{}}'))).toBe(false);
  const params = parsed('{"name":"read","arguments":{"__proto__":{},"path":"f"}}');
  expect(plainCallIn({ ...request, params } as JSONRPCRequest, contextOf({}))).toBeUndefined();
});

interface Lifted {
  readonly envelope?: object;
  readonly inputResponses?: object;
  readonly state?: unknown;
}

/** As far as it is looked at. */
function contextOf({ state, ...lifted }: Lifted): ServerContext {
  return { mcpReq: { ...lifted, requestState: () => state } } as unknown as ServerContext;
}

test.each<[unknown, Lifted, boolean]>([
  [call, {}, true],
  [{ name: 'read', arguments: {} }, {}, true],
  [{ name: 'read' }, {}, false],
  [{ name: 5, arguments: {} }, {}, false],
  [{ name: 'read', arguments: [] }, {}, false],
  [{ ...call, task: {} }, {}, false],
  [{ ...call, _meta: { progressToken: 1 } }, {}, false],
  [undefined, {}, false],
  [call, { envelope: {} }, false],
  [call, { inputResponses: {} }, false],
  [call, { state: 'x' }, false],
])('the call %j, with %j, needs no schema: %s', async (params, lifted, plain) => {
  const found = plainCallIn({ ...request, params } as JSONRPCRequest, contextOf(lifted));
  expect(found).toEqual(plain ? params : undefined);
  if (!plain) return;
  const checked = await specTypeSchemas.CallToolRequest['~standard'].validate({
    method: 'tools/call',
    params,
  });
  expect(checked).toMatchObject({ value: { params: found } });
});

const answers: readonly Answer[] = [
  { content: [{ type: 'text', text: 'a' }], details: { source: 'f' }, isError: false },
  {
    content: [{ type: 'text', text: 'a' }],
    details: { error: { code: 'INTERNAL', message: 'a' } },
    isError: true,
  },
  {
    content: [
      { type: 'text', text: 'a' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
    details: {},
    isError: false,
  },
];

test.each(answers)('the result of %j equals the schema result in bytes', async (answer) => {
  for (const structured of [false, true]) {
    const result = toolResult(answer, { structured, detailed: true });
    const checked = await specTypeSchemas.CallToolResult['~standard'].validate(result);
    expect(JSON.stringify(checked)).toBe(JSON.stringify({ value: result }));
  }
});

test('both paths give the same answer', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('f', 'a\nb\n');
  const server = await session(['--cwd', W]);
  for (const [i, path] of ['f', 'f:2..2', 'missing', 5].entries()) {
    const params = { name: 'read', arguments: { path } };
    const plain = await server.ask(`${i} plain`, 'tools/call', params);
    const checked = await server.ask(`${i} checked`, 'tools/call', { ...params, _meta: {} });
    expect(JSON.stringify({ ...plain, id: checked.id })).toBe(JSON.stringify(checked));
  }
});
