/**
 * Spans and histograms as received by the SDK of OpenTelemetry: by its conventions, with the parent of the request,
 * without content.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { serveOffer, openOffer } from '../support/app.ts';
import { built } from '../support/built.ts';
import { mcpHeaders, postTo } from '../support/server.ts';
import { workspace } from '../support/workspace.ts';

const spans = new InMemorySpanExporter();
const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 3_600_000 });

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});
afterAll(async () => {
  await reader.shutdown();
  trace.disable();
  metrics.disable();
});
beforeEach(() => spans.reset());

/** Of calls that are over: the first one waits for the API to be loaded. */
const finished = (count: number) =>
  vi.waitFor(() => {
    const all = spans.getFinishedSpans();
    expect(all).toHaveLength(count);
    return all;
  }, 200_000);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

test('a call of the library is an execute_tool span', async () => {
  const { oriel, write } = workspace();
  write('secret-name.txt', 'secret content\n');
  await oriel.tool('read').run({ path: 'secret-name.txt' }, { task: 'a task' });
  const [span] = await finished(1);
  expect([span?.name, span?.kind, span?.status.code]).toEqual([
    'execute_tool read',
    SpanKind.INTERNAL,
    SpanStatusCode.UNSET,
  ]);
  expect(span?.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read',
    'gen_ai.tool.type': 'function',
    'oriel.dialect': 'oriel',
    'oriel.task': 'a task',
    'oriel.answer.bytes': 17,
    'oriel.answer.tokens': 5,
  });
  expect(JSON.stringify([span?.name, span?.attributes, span?.events, span?.status])).not.toContain('secret');
});

test('a failure has its code and the error status', async () => {
  const { oriel } = workspace();
  await oriel.tool('read').run({ path: 'missing' });
  const [span] = await finished(1);
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span?.attributes).toMatchObject({ 'error.type': 'NOT_FOUND', 'oriel.error.code': 'NOT_FOUND' });
});

test('over MCP: a server span below that named in _meta', async () => {
  const { W, write } = workspace();
  write('f', 'x\n'.repeat(4_000));
  const offer = openOffer({ cwd: W });
  const { url } = await serveOffer(offer);
  const post = async (params: object): Promise<string> => {
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
    return (await postTo(url, mcpHeaders)('/mcp', message)).text();
  };
  const call = { name: 'read', arguments: { path: 'f' } };
  await post({ ...call, _meta: { traceparent: TRACEPARENT, tracestate: 'rojo=00f067aa0ba902b7' } });
  await post({
    ...call,
    arguments: { path: 'missing' },
    _meta: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` },
  });
  const [first, second] = await finished(2);
  expect([first?.name, first?.kind]).toEqual(['tools/call read', SpanKind.SERVER]);
  expect(first?.spanContext()).toMatchObject({ traceId: TRACE });
  expect(first?.parentSpanContext).toMatchObject({ spanId: PARENT, isRemote: true });
  expect(first?.parentSpanContext?.traceState?.get('rojo')).toBe(PARENT);
  expect(first?.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'read',
    'network.transport': 'tcp',
    'jsonrpc.request.id': '7',
    'oriel.truncated_by': 'lines',
  });
  expect(second?.parentSpanContext).toBeUndefined();
  expect(second?.attributes).toMatchObject({ 'error.type': 'tool_error', 'oriel.error.code': 'NOT_FOUND' });
});

test('over HTTP the header names the parent', async () => {
  const { W, write } = workspace();
  write('f', 'x\n');
  const offer = openOffer({ cwd: W });
  const { post } = await serveOffer(offer);
  await post('/api/v0/tools/read', { path: 'f' }, { headers: { traceparent: TRACEPARENT } });
  const [span] = await finished(1);
  expect(span?.parentSpanContext?.spanId).toBe(PARENT);
});

test('histograms of durations, sizes and tokens', async () => {
  const { oriel, write } = workspace();
  write('f', 'x\n');
  await oriel.tool('read').run({ path: 'f' });
  await finished(1);
  await reader.forceFlush();
  const all =
    exported
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  const found = new Map(
    all.map(({ descriptor, dataPoints }) => [descriptor.name, { descriptor, dataPoints }]),
  );
  expect([...found.keys()].toSorted()).toEqual([
    'mcp.server.operation.duration',
    'oriel.answer.size',
    'oriel.answer.tokens',
    'oriel.call.duration',
  ]);
  expect(found.get('oriel.call.duration')?.descriptor.unit).toBe('s');
  for (const { dataPoints } of found.values())
    for (const { attributes } of dataPoints) {
      const names = [
        'error.type',
        'gen_ai.operation.name',
        'gen_ai.tool.name',
        'mcp.method.name',
        'network.transport',
      ];
      expect([...names, 'oriel.dialect', 'oriel.error.code']).toEqual(
        expect.arrayContaining(Object.keys(attributes)),
      );
    }
});

test('without an SDK no module imports the API at start', () => {
  const files = readdirSync(built(''), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const text = (name: string): string => readFileSync(join(built(''), name), 'utf8');
  const importing = files.filter((name) => text(name).includes('@opentelemetry/api'));
  expect(importing).toEqual([expect.stringMatching(/^chunks\/open-telemetry-/)]);
  const base = (importing[0] as string).replace('chunks/', '');
  const starting = files.filter((name) => new RegExp(`^import .*${base}`, 'm').test(text(name)));
  expect(starting).toEqual([]);
  expect(context.active()).toBeDefined();
});
