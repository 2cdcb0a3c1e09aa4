/** The MCP server: tools and resources, in every protocol version that the SDK serves. */

import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { RunOptions } from '../../assemble.ts';
import { version } from '../../access/package-files.ts';
import type { NarrowedRoots } from '../../access/held-roots.ts';
import { explained, report } from '../../engine/unexpected.ts';
import { isOrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import type { McpOrigin, TraceOrigin } from '../../types/trace.ts';
import type { Offer } from '../offer.ts';
import type { Asker } from '../spaces.ts';
import { CallServer } from './call-server.ts';
import { rootsOf } from './client-roots.ts';
import { instructionsFor } from './instructions.ts';
import { progressTo } from './progress-notifications.ts';
import {
  artifactTemplate,
  checkResource,
  completeArtifact,
  listArtifacts,
  readResource,
} from './resources.ts';
import { toolDefinition, toolResult } from './tool-result.ts';

export interface McpOptions {
  /** Also return details in `structuredContent`. */
  readonly structured?: boolean;
  /** The name of the client program, if the protocol does not include it. */
  readonly host?: string | undefined;
  /** The caller of the requests; a new one when absent. */
  readonly caller?: Caller | undefined;
  /** The transport as OpenTelemetry names it: `pipe` for stdio; `tcp` when absent. */
  readonly transport?: McpOrigin['transport'];
}

/** Milliseconds for which a client may cache the list of tools, which does not change while the server runs. */
const TOOLS_FRESH_MS = 3_600_000;

interface CalledTool {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export function createMcpServer(
  offer: Offer,
  { structured = false, host, caller: given, transport = 'tcp' }: McpOptions = {},
): CallServer {
  const caller = given ?? {};
  const server = new CallServer(
    { name: 'oriel', title: 'oriel', version: version() },
    {
      instructions: instructionsFor(offer),
      capabilities: { tools: {}, resources: {}, completions: {} },
      cacheHints: { 'tools/list': { ttlMs: TOOLS_FRESH_MS, cacheScope: 'private' } },
    },
  );
  Object.assign(server, { onerror: (error: Error) => report(offer.engine().onError, explained(error)) });
  if (!given) Object.assign(server, { onclose: () => void offer.forget(caller) });
  const rootsFor = offer.narrow ? rootsOf(server, offer.narrow) : () => Promise.resolve(undefined);
  const askerOf = (context: ServerContext, roots?: NarrowedRoots): Asker => {
    const name = nameInEnvelope(context) ?? server.getClientVersion()?.name ?? host ?? '';
    const model = modelIn(context);
    const asker = { name, ...(model !== undefined && { model }), ...(structured && { structured }) };
    return { host: asker, caller, ...(roots && { roots }) };
  };
  /** Calls `answer` for the sender of the request, inside its declared roots; or returns the request for these roots. */
  const inside = async <A>(
    context: ServerContext,
    answer: (asker: Asker) => Promise<A>,
  ): Promise<A | InputRequiredResult> => {
    try {
      const roots = await rootsFor(context);
      return isInputRequiredResult(roots) ? roots : await answer(askerOf(context, roots));
    } catch (error) {
      throw isOrielError(error) ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
    }
  };

  server.setRequestHandler('tools/list', (_request, context) => {
    // After this answer there is time until the model's first call, in which the code of calls is loaded.
    setImmediate(() => void offer.prepare());
    return { tools: offer.tools(askerOf(context)).map((tool) => toolDefinition(tool, structured)) };
  });
  const call = (params: CalledTool, context: ServerContext): Promise<CallToolResult | InputRequiredResult> =>
    inside(context, async (asker) => {
      const tool = offer.find(params.name, asker);
      if (isOrielError(tool)) throw tool;
      const progress = progressTo(context, caller);
      const answer = await offer.call(tool, params.arguments ?? {}, {
        signal: context.mcpReq.signal,
        caller,
        host: asker.host?.name,
        ...taskIn(context),
        trace: traceIn(context, 'tools/call', transport),
        ...(progress && { onProgress: progress.tell }),
      });
      progress?.end();
      return toolResult(answer, structured);
    });
  server.setRequestHandler('tools/call', ({ params }, context) => call(params, context));
  server.answerPlainCalls(call);
  server.setRequestHandler('resources/list', ({ params }) => listArtifacts(offer, caller, params?.cursor));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [artifactTemplate] }));
  server.setRequestHandler('resources/read', ({ params }, context) => {
    checkResource(params.uri);
    const options = {
      signal: context.mcpReq.signal,
      caller,
      ...taskIn(context),
      trace: traceIn(context, 'resources/read', transport),
    };
    return inside(context, (asker) => readResource(offer, params.uri, options, asker));
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const known =
      ref.type === 'ref/resource' && ref.uri === artifactTemplate.uriTemplate && argument.name === 'id';
    return { completion: known ? await completeArtifact(offer, caller, argument.value) : { values: [] } };
  });
  return server;
}

/** The client's name in a request, since protocol 2026-07-28; before, only `initialize` had it. */
function nameInEnvelope({ mcpReq }: ServerContext): string | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const { name } = Object(envelope?.[CLIENT_INFO_META_KEY]) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** The model's name, which Codex sends in each call. */
function modelIn({ mcpReq }: ServerContext): string | undefined {
  const meta = Object(Object(mcpReq._meta)['x-codex-turn-metadata']) as { model?: unknown };
  return typeof meta.model === 'string' ? meta.model : undefined;
}

/** Keys in `_meta` with which a call names its task and requests the task's totals. */
const TASK_KEY = 'io.github.oriel/task';
const TOTALS_KEY = 'io.github.oriel/totals';

function taskIn({ mcpReq }: ServerContext): Pick<RunOptions, 'task' | 'totals'> {
  const meta = Object(mcpReq._meta) as Readonly<Record<string, unknown>>;
  const task = meta[TASK_KEY];
  return { ...(typeof task === 'string' && { task }), ...(meta[TOTALS_KEY] === true && { totals: true }) };
}

/** The trace context, which OpenTelemetry puts into `_meta`. */
function traceIn(
  { mcpReq, sessionId }: ServerContext,
  method: string,
  transport: McpOrigin['transport'],
): TraceOrigin {
  const { traceparent, tracestate } = Object(mcpReq._meta) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
    mcp: { method, transport, requestId: String(mcpReq.id), sessionId },
  };
}
