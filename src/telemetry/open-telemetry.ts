/**
 * Emits spans and histograms by the OpenTelemetry semantic conventions for MCP and generative AI (in development,
 * November 2026): names, sizes and times, no content. Only the API package is used; the host's SDK exports them.
 */

import type { Attributes, Context, Histogram, Link, MeterProvider } from '@opentelemetry/api';
import { version } from '../files/package-files.ts';
import type { CallEvent, TraceOrigin } from '../types/telemetry.ts';

const NAME = 'oriel';

/** Bucket boundaries in seconds, as the conventions advise for MCP. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

interface Instruments {
  readonly provider: MeterProvider;
  readonly operation: Histogram;
  readonly call: Histogram;
  readonly size: Histogram;
  readonly tokens: Histogram;
}

let made: Instruments | undefined;

let api: typeof import('@opentelemetry/api');

/** Must be called first. On demand: a bundler would not find the package of a static import. */
export async function loadApi(): Promise<void> {
  api = await import('@opentelemetry/api');
}

/** Records a finished call. Must run in the asynchronous context of the call, whose active span is the parent. */
export function recordCall(event: CallEvent, origin: TraceOrigin = {}): void {
  const attributes = attributesOf(event, origin);
  const { parent, links } = parentOf(origin);
  const { tool, at, ms, error, bytes, tokens } = event;
  const span = api.trace.getTracer(NAME, version()).startSpan(
    origin.mcp ? `${origin.mcp.method} ${tool}` : `execute_tool ${tool}`,
    {
      kind: origin.mcp ? api.SpanKind.SERVER : api.SpanKind.INTERNAL,
      startTime: at,
      attributes: { ...attributes, ...spanAttributes(event, origin) },
      links,
    },
    parent,
  );
  if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(at + ms);
  const { operation, call, size, tokens: tokenSizes } = instruments();
  const within = api.trace.setSpan(parent, span);
  if (origin.mcp) operation.record(ms / 1_000, attributes, within);
  call.record(ms / 1_000, attributes, within);
  size.record(bytes, attributes, within);
  tokenSizes.record(tokens, attributes, within);
}

/** Attributes of spans and metrics; each has few different values (low cardinality). */
function attributesOf({ tool, dialect, error }: CallEvent, { mcp }: TraceOrigin): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'mcp.method.name': mcp?.method,
    'network.transport': mcp?.transport,
    'error.type': error === undefined ? undefined : mcp ? 'tool_error' : error,
    'oriel.error.code': error,
    'oriel.dialect': dialect,
  };
}

function spanAttributes({ task, bytes, tokens, reads, list }: CallEvent, { mcp }: TraceOrigin): Attributes {
  const cutBy = reads?.find((read) => read.cutBy !== undefined)?.cutBy ?? list?.cutBy;
  return {
    'gen_ai.tool.type': mcp ? undefined : 'function',
    'jsonrpc.request.id': mcp?.requestId === undefined ? undefined : mcp.requestId,
    'mcp.session.id': mcp?.sessionId === undefined ? undefined : mcp.sessionId,
    'oriel.task': task,
    'oriel.answer.bytes': bytes,
    'oriel.answer.tokens': tokens,
    'oriel.truncated_by': cutBy,
  };
}

/** The parent is the span that the request names in `traceparent`; the active span here then becomes a link. */
function parentOf({ traceparent, tracestate }: TraceOrigin): { parent: Context; links: Link[] } {
  const active = api.context.active();
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined)
    return { parent: active, links: [] };
  const parent = api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined &&
      tracestate.length <= 512 && { traceState: api.createTraceState(tracestate) }),
  });
  const here = api.trace.getSpanContext(active);
  return { parent, links: here ? [{ context: here }] : [] };
}

/** The instruments; created again if the host has set another meter provider since. */
function instruments(): Instruments {
  const provider = api.metrics.getMeterProvider();
  if (made?.provider === provider) return made;
  const meter = provider.getMeter(NAME, version());
  const seconds = { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } };
  return (made = {
    provider,
    operation: meter.createHistogram('mcp.server.operation.duration', {
      ...seconds,
      description: 'From the request to its result',
    }),
    call: meter.createHistogram('oriel.call.duration', {
      ...seconds,
      description: 'From the call to its answer',
    }),
    size: meter.createHistogram('oriel.answer.size', { unit: 'By', description: 'Text of an answer' }),
    tokens: meter.createHistogram('oriel.answer.tokens', {
      unit: '{token}',
      description: 'Estimated tokens of an answer',
    }),
  });
}
