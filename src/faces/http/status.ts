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
