import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOffer, type OfferOptions } from '../../../src/faces/offer.ts';
import type { DialectName } from '../../../src/index.ts';
import { orielOffering } from '../../../src/oriel.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { type AppUnderTest, serveOffer, openOffer } from '../../support/app.ts';
import { has } from '../../support/has.ts';
import { offerOf, testTool } from '../../support/offer.ts';
import { workspace } from '../../support/workspace.ts';

function serving(options: OfferOptions): Promise<AppUnderTest> {
  const offer = openOffer({ web: false, s3: false, manyClients: true, ...options });
  return serveOffer(offer);
}

describe('/api/v0/tools', () => {
  test('lists tools and answers calls as the library does', { tags: 'slow' }, async () => {
    const { W, write, read } = workspace();
    write('f', 'a\nb\n');
    const running = await serving({ cwd: W });
    const list = (await (await running.get('/api/v0/tools')).json()) as {
      dialect: string;
      tools: object[];
    };
    expect(list.dialect).toBe('oriel');
    const offered = orielOffering({ cwd: W, roots: [W], web: false, s3: false }, (name) => name !== 'bash');
    onTestFinished(() => offered.close());
    expect(list.tools).toEqual(
      offered.tools
        .filter(({ effects }) => effects.readOnly)
        .map(({ name, title, description, effects, jsonSchema }) => ({
          name,
          title,
          description,
          effects,
          inputSchema: jsonSchema,
        })),
    );
    for (const path of ['f:2..2', 'none', '../outside/secret.txt', 'f:9']) {
      const response = await running.post('/api/v0/tools/read', { path });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(await read(path))));
    }
    expect(await (await running.post('/api/v0/tools/read', { path: 5 })).json()).toMatchObject({
      isError: true,
      details: { error: { code: 'BAD_INPUT' } },
    });
    const unknown = await running.post('/api/v0/tools/nothing', {});
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { message: expect.stringMatching(/^There is no tool nothing\. Use one of read/), code: 'NOT_FOUND' },
    ]);
    const broken = await running.post('/api/v0/tools/read', {}, { body: '{"path":' });
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { message: 'The body is not valid JSON.', code: 'BAD_INPUT' },
    ]);
  });

  test('tools beyond reading need permission of the server', async () => {
    const { W } = workspace();
    const effects = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
    const dangerous = testTool('danger', () => Promise.resolve(textAnswer('boom')), { effects });
    const closed = createOffer({ cwd: W });
    const open = createOffer({ cwd: W, allowBash: true });
    onTestFinished(async () => void (await Promise.all([closed.close(), open.close()])));
    expect(open.tools().length).toBeGreaterThanOrEqual(closed.tools().length);
    expect(closed.tools().every((tool) => tool.effects.readOnly)).toBe(true);
    const { url } = await serveOffer(offerOf(dangerous));
    expect(await (await fetch(`${url}/api/v0/tools`)).json()).toMatchObject({
      tools: [{ effects }],
    });
  });

  test('progress is sent as events, then the answer', async () => {
    const tool = testTool('slow', async (_input, { onProgress }) => {
      onProgress?.({ message: 'half\nway', done: 1, total: 2 });
      await new Promise((resolve) => void setTimeout(resolve, 20));
      return textAnswer('done');
    });
    const { post } = await serveOffer(offerOf(tool));
    const response = await post('/api/v0/tools/slow', {}, { headers: { accept: 'text/event-stream' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(
      'event: progress\ndata: {"message":"half\\nway","done":1,"total":2}\n\n' +
        'event: answer\ndata: {"content":[{"type":"text","text":"done"}],"details":{},"isError":false}\n\n',
    );
  });
});

describe('/openapi.json', () => {
  test('is valid OpenAPI 3.1 and describes every route and tool', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const offer = openOffer({ cwd: W });
    const { url } = await serveOffer(offer);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<
        string,
        Record<string, { operationId: string; parameters: object[]; requestBody?: object }>
      >;
    };
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
    const files = ['read-file-lines', 'read-file', 'list-directory', 'resolve-path', 'private'];
    const api = (...paths: string[]): string[] => paths.map((path) => `/api/v0/${path}`);
    expect(Object.keys(document.paths)).toEqual([
      ...api(...files, 'tools', 'tasks', 'tasks/{id}', 'tasks/{id}/events'),
      '/healthz',
      '/metrics',
      ...api('live', 'lens'),
      '/',
      '/dashboard.js',
      '/dashboard.css',
      ...api(...offer.tools().map(({ name }) => `tools/${name}`)),
      '/openapi.json',
      '/mcp',
    ]);
    expect(document.paths['/api/v0/read-file-lines']?.['get']?.parameters[0]).toEqual({
      name: 'path',
      in: 'query',
      required: true,
      description: 'Absolute path of a text file',
      schema: { type: 'string', minLength: 1 },
    });
    const [read] = offer.tools();
    const { $schema: _, ...schema } = read?.jsonSchema ?? {};
    expect(document.paths['/api/v0/tools/read']?.['post']?.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema } },
    });
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('answers fit the schemas that it declares', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('f', 'a\n');
    const running = await serving({ cwd: W });
    interface Declared {
      readonly $ref?: string;
      readonly content: Record<string, { schema: object }>;
    }
    const document = (await (await running.get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, Declared> }>>;
      components: { responses: Record<string, Declared> };
    };
    const { z } = await import('zod');
    const fits = async (response: Response, path: string, method: string): Promise<void> => {
      const named = document.paths[path]?.[method]?.responses[response.status];
      const shared = document.components.responses[named?.$ref?.split('/').at(-1) ?? ''];
      const declared = (shared ?? named)?.content['application/json']?.schema;
      expect(declared).toBeDefined();
      z.fromJSONSchema(declared as Parameters<typeof z.fromJSONSchema>[0]).parse(await response.json());
    };
    const gets = ['read-file-lines', 'tools', 'private', 'healthz', `read-file-lines?path=${W}/f`];
    for (const asked of [...gets, `resolve-path?path=${W}/f`, `read-file?path=${W}/none`]) {
      const path = asked === 'healthz' ? '/healthz' : `/api/v0/${asked}`;
      await fits(await running.get(path), path.replace(/\?.*/, ''), 'get');
    }
    await fits(await running.post('/api/v0/list-directory', {}), '/api/v0/list-directory', 'post');
    await fits(await running.post('/api/v0/tools/read', { path: 'f' }), '/api/v0/tools/read', 'post');
  });
});

test('/metrics counts calls, bytes, truncations, errors and times', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('f', 'x\n'.repeat(4_000));
  const running = await serving({ cwd: W, allowBash: true });
  for (const path of ['f', 'f:3001..3001', 'none']) await running.post('/api/v0/tools/read', { path });
  await running.post('/api/v0/tools/bash', { command: 'seq 5000' });
  await running.post('/api/v0/tasks/t/events', { kind: 'rate-limit' });
  // Names that a client has made up.
  await running.post('/api/v0/tools/nonsense', {}, { headers: { 'oriel-task': 'made up' } });
  await running.get('/made/up');
  const response = await running.get('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n');
  for (const line of [
    'oriel_calls_total{tool="read",outcome="ok"} 2',
    'oriel_calls_total{tool="read",outcome="error"} 1',
    'oriel_truncations_total{tool="read",by="lines"} 1',
    'oriel_errors_total{tool="read",code="NOT_FOUND"} 1',
    'oriel_call_duration_seconds_bucket{tool="read",le="+Inf"} 3',
    'oriel_call_duration_seconds_count{tool="read"} 3',
    'oriel_http_requests_total{route="/api/v0/tools/:name",status="200"} 4',
    'oriel_http_requests_total{route="none",status="404"} 1',
    'oriel_continuations_total{tool="read"} 1',
    'oriel_truncations_total{tool="bash",by="lines"} 1',
    'oriel_rate_limits_total 1',
    'oriel_spills 1',
    // 9 × 2 + 90 × 3 + 900 × 4 + 4001 × 5
    'oriel_spill_bytes 23893',
    '# TYPE process_resident_memory_bytes gauge',
    '# TYPE oriel_store_lookups_total counter',
    '# TYPE oriel_disk_cache_lookups_total counter',
  ])
    expect(lines).toContain(line);
  expect(lines.join('\n')).not.toMatch(/nonsense|made.up/);
});

test.runIf(has('promtool'))(
  'Prometheus parses /metrics and lints it without findings',
  { tags: 'slow' },
  async () => {
    const { W, write } = workspace();
    write('f', 'x\n'.repeat(4_000));
    const { post, get } = await serving({ cwd: W, allowBash: true });
    for (const path of ['f', 'f:3001..3001', 'none'])
      await (await post('/api/v0/tools/read', { path })).text();
    await (await post('/api/v0/tools/bash', { command: 'seq 5000' })).text();
    await (await post('/api/v0/tasks/t/events', { kind: 'rate-limit' })).text();
    const input = await (await get('/metrics')).text();
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  },
);

test('/metrics counts the truncations of every dialect by event', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('f', 'x\n'.repeat(4_000));
  write('g', 'x\n');
  const counted = async (dialect: DialectName, calls: readonly (readonly [string, object])[]) => {
    const { post, get } = await serving({ cwd: W, allowBash: true, dialect });
    for (const [tool, input] of calls) await (await post(`/api/v0/tools/${tool}`, input)).text();
    const text = await (await get('/metrics')).text();
    return text.match(/^oriel_truncations_total\{.*/gm);
  };
  const of = (tool: string, by: string) => `oriel_truncations_total{tool="${tool}",by="${by}"} 1`;
  const lists = [
    ['grep', { pattern: 'x', limit: 1 }],
    ['find', { pattern: '*', limit: 1 }],
    ['ls', { limit: 1 }],
  ] as const;
  const readAndRun = [
    ['read', { path: 'f' }],
    ['bash', { command: 'seq 5000' }],
  ] as const;
  const limited = ['grep', 'find', 'ls'].map((tool) => of(tool, 'limit'));
  const all = [...limited, of('read', 'lines'), of('bash', 'lines')];
  for (const dialect of ['oriel', 'pi', 'pi@0.74', 'pi@1.6'] as const)
    expect(await counted(dialect, [...lists, ...readAndRun])).toEqual(all);
  expect(await counted('pi', [['read', { path: 'f', limit: 5 }]])).toEqual([of('read', 'window')]);
  for (const [dialect, input] of [
    ['zed', { path: 'f', max_bytes: 10 }],
    ['zdx', { path: 'f', limit: 9 }],
    ['coder', { path: `${W}/f`, limit: 9 }],
  ] as const)
    expect(await counted(dialect, [[dialect === 'zdx' ? 'read' : 'read_file', input]])).toHaveLength(1);
});

describe('listening and shutdown', () => {
  test('a Unix socket is private, and replaces a dead one', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const path = join(W, 'oriel.sock');
    const dead = createServer();
    await new Promise<void>((resolve) => void dead.listen(path, resolve));
    const { rename } = await import('node:fs/promises');
    // Closing removes the socket: as a killed process would, this one leaves it behind.
    await rename(path, `${path}.kept`);
    await new Promise((resolve) => void dead.close(resolve));
    await rename(`${path}.kept`, path);
    const app = await serveOffer(offerOf(), { address: { kind: 'socket', path } });
    expect(app.url).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const status = await new Promise((resolve, reject) => {
      request({ socketPath: path, path: '/healthz' }, (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await expect(serveOffer(offerOf(), { address: { kind: 'socket', path } })).rejects.toThrow(
      /^Cannot listen on unix:/,
    );
    await app.close();
    expect(existsSync(path)).toBe(false);
  });

  test('a socket path that is a file is not replaced', async () => {
    const { W } = workspace();
    const path = join(W, 'file');
    writeFileSync(path, 'precious');
    await expect(serveOffer(offerOf(), { address: { kind: 'socket', path } })).rejects.toThrow(
      /EADDRINUSE\. A process listens there, or it is no socket\. Use another address with --listen\.$/,
    );
    expect(existsSync(path)).toBe(true);
  });

  test('a port in use is an error that says so', async () => {
    const { url } = await serveOffer(offerOf());
    const port = Number(new URL(url).port);
    await expect(
      serveOffer(offerOf(), { address: { kind: 'port', host: '127.0.0.1', port } }),
    ).rejects.toThrow(`Cannot listen on http://127.0.0.1:${port}: EADDRINUSE.`);
  });
});
