/** The routes about the server itself: liveness, metrics, version. */

import * as z from 'zod';
import { json } from './problem.ts';
import { type Route, route, type Served } from './route.ts';

export const healthRoute = (_served: Served): Route =>
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Whether the server lives; open without a token',
    replies: { 200: { about: 'It does', schema: z.object({ status: z.literal('ok') }) } },
    handle: () => json({ status: 'ok' }),
  });

export const metricsRoute = ({ metrics }: Served): Route =>
  route({
    method: 'get',
    path: '/metrics',
    summary: 'Counters and times for Prometheus',
    replies: { 200: { about: 'Prometheus text', type: 'text/plain' } },
    handle: () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      body: metrics.text(),
    }),
  });

export const homeRoute = ({ offer }: Served): Route =>
  route({
    method: 'get',
    path: '/',
    summary: 'What this is, for a person',
    replies: { 200: { about: 'A page', type: 'text/html' } },
    handle: () => ({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=UTF-8',
        'content-security-policy': "default-src 'none'",
      },
      body: page(
        offer.dialect,
        offer.tools().map(({ name }) => name),
      ),
    }),
  });

/** Dialects and tools are named by us: nothing here needs escaping. */
function page(dialect: string, tools: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>oriel</title>
<h1>oriel</h1>
<p>Bounded windows onto the files of this workspace, for coding agents.</p>
<p>Dialect ${dialect}: ${tools.join(', ')}</p>
<ul>
<li><a href="/openapi.json">/openapi.json</a> describes every route</li>
<li><a href="/api/v0/tools">/api/v0/tools</a> lists the tools</li>
<li>/mcp speaks the Model Context Protocol</li>
<li><a href="/metrics">/metrics</a>, <a href="/healthz">/healthz</a></li>
</ul>
</html>
`;
}
