/** Serves the files of the dashboard. They contain no data; the page requests it from the API with the user's token. */

import { createHash } from 'node:crypto';
import { asset } from '../../access/assets.ts';
import type { Reply } from './exchange.ts';
import { type Route, route } from './route.ts';

/** The files by path. They need no token, because a browser sends none with a page. */
const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8', 'The dashboard: the page asks for the token'],
  '/dashboard.js': ['dashboard.js', 'text/javascript; charset=utf-8', 'The code of the dashboard'],
  '/dashboard.css': ['dashboard.css', 'text/css; charset=utf-8', 'The style of the dashboard'],
} as const;

export const DASHBOARD_PATHS: readonly string[] = Object.keys(FILES);

/** The content security policy: only these files may be loaded; images are data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

export const dashboardRoutes: readonly (() => Route)[] = Object.entries(FILES).map(
  ([path, [file, type, summary]]) =>
    () =>
      route({
        method: 'get',
        path,
        summary,
        replies: { 200: { about: 'The file', type: type.split(';')[0] as string } },
        async handle(exchange): Promise<Reply> {
          const body = await asset(`dashboard/${file}`);
          const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
          const headers = { ...HEADERS, 'content-type': type, etag };
          if (exchange.header('if-none-match') === etag) return { status: 304, headers };
          return { status: 200, headers, body };
        },
      }),
);
