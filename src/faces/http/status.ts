/** Owns what tells about the server itself: that it lives, what it counted, what it is. */

import * as z from 'zod';
import { type Route, route, type Served } from './route.ts';

export const healthRoute = (_served: Served): Route =>
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Whether the server lives; open without a token',
    replies: { 200: { about: 'It does', schema: z.object({ status: z.literal('ok') }) } },
    handle: (context) => context.json({ status: 'ok' }),
  });

export const metricsRoute = ({ metrics }: Served): Route =>
  route({
    method: 'get',
    path: '/metrics',
    summary: 'Counters and times for Prometheus',
    replies: { 200: { about: 'Prometheus text', type: 'text/plain' } },
    handle: (context) =>
      context.text(metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  });

export const homeRoute = ({ offer }: Served): Route =>
  route({
    method: 'get',
    path: '/',
    summary: 'What this is, for a person',
    replies: { 200: { about: 'A page', type: 'text/html' } },
    handle: (context) =>
      context.html(
        page(
          offer.dialect,
          offer.tools().map(({ name }) => name),
        ),
        200,
        {
          'content-security-policy': "default-src 'none'",
        },
      ),
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
