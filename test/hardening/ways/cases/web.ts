/** Addresses that are not public, servers that never end, pages that hide. */

import { expect } from 'vitest';
import { type Case, read } from '../case.ts';
import type { Place } from '../place.ts';
import { until } from '../wait.ts';

const blocked = { code: 'BLOCKED_ADDRESS' } as const;

/** Nothing was asked of the site that may not be read. */
const nothingLeaked = async (_: unknown, { site }: Place): Promise<void> => expect(site.leaked).toEqual([]);

const pages =
  (...paths: string[]) =>
  ({ site }: Place) =>
    paths.map((path) => read(`${site.url}${path}`));

const common = { mostMb: 400, mostSeconds: 15 } as const;

export const web: readonly Case[] = [
  {
    id: 'U01',
    title: 'addresses of this machine, of networks, of clouds',
    steps: ({ site }) =>
      [
        `${site.hiddenUrl}/meta`,
        'http://10.0.0.1/',
        'http://192.168.0.1/',
        'http://100.64.0.1/',
        'http://172.16.0.1/',
        'http://169.254.169.254/latest/meta-data/',
        'http://100.100.100.200/',
        'http://[fd00:ec2::254]/',
        'http://metadata.test/',
      ].map((path) => read(path, blocked)),
    run: nothingLeaked,
  },
  {
    id: 'U03',
    title: 'the same in IPv6, mapped and translated',
    steps: ({ site: { hiddenPort } }) =>
      [
        `http://[::1]:${hiddenPort}/meta`,
        `http://[::]:${hiddenPort}/meta`,
        `http://[::ffff:127.0.0.1]:${hiddenPort}/meta`,
        'http://[::ffff:7f00:1]/',
        'http://[64:ff9b::7f00:1]/',
        'http://[2002:7f00:1::]/',
        'http://[fe80::1]/',
      ].map((path) => read(path, blocked)),
    run: nothingLeaked,
  },
  {
    id: 'U04',
    title: 'names that resolve to this machine',
    steps: ({ site: { hiddenPort } }) =>
      ['loopback.test', 'mapped.test'].map((host) => read(`http://${host}:${hiddenPort}/meta`, blocked)),
    run: nothingLeaked,
  },
  {
    id: 'U07',
    title: 'redirects to what is not public',
    steps: ({ site }) =>
      [301, 302, 303, 307, 308].map((status) =>
        read(`${site.url}/redirect?status=${status}&to=${site.hiddenUrl}/meta`, blocked),
      ),
    run: nothingLeaked,
  },
  {
    id: 'U08',
    title: 'redirects to other schemes',
    steps: ({ site }) =>
      ['file:///etc/passwd', 'data:text/plain,x', 'gopher://x', 'ftp://x/', 'javascript:alert(1)'].map((to) =>
        read(`${site.url}/redirect?to=${to}`, { code: 'REDIRECT' }),
      ),
  },
  {
    id: 'U09',
    title: 'names before the host, backslashes and missing slashes',
    steps: ({ site: { hiddenPort } }) =>
      [
        `http://example.invalid@127.0.0.1:${hiddenPort}/meta`,
        `http://me:word@127.0.0.1:${hiddenPort}/meta`,
        `http://example.invalid\\@127.0.0.1:${hiddenPort}/meta`,
        `http://127.0.0.1:${hiddenPort}#@example.com/`,
        `http:127.0.0.1:${hiddenPort}`,
        `http:///127.0.0.1:${hiddenPort}/`,
      ].map((path) => read(path, { code: ['BLOCKED_ADDRESS', 'BAD_PATH', 'NETWORK'], lacks: 'me:word' })),
    run: nothingLeaked,
  },
  {
    id: 'U14',
    title: 'bodies without an end',
    heavy: true,
    steps: ({ site }) => [
      read(`${site.url}/endless`, { has: 'Only the first 8 MiB of the body were read: it is longer' }),
    ],
    ...common,
  },
  {
    id: 'U16',
    title: 'bodies and headers byte by byte, and no answer at all: one deadline',
    heavy: true,
    together: true,
    steps: ({ site }) =>
      ['/drip', '/drip-headers', '/hang'].map((path) => read(`${site.url}${path}`, { code: 'TIMEOUT' })),
    ...common,
  },
  {
    id: 'U19',
    title: 'a certificate that nobody signed',
    steps: ({ site }) => [read(`${site.tlsUrl}/ok`, { code: 'TLS', lacks: 'Paragraph' })],
  },
  {
    id: 'U20',
    title: 'encodings that are old, unknown, or not what they are called',
    steps: ({ site }) => [
      read(`${site.url}/windows-1252`, { has: '€' }),
      read(`${site.url}/shift-jis`, { has: '日本' }),
      read(`${site.url}/utf-16`, { has: 'wörd' }),
      read(`${site.url}/bogus`, { has: 'wörd' }),
      read(`${site.url}/not-utf-8`, { has: ['caf', ' was guessed'] }),
      read(`${site.url}/utf-7`, { has: '+ADw-b+AD4-' }),
    ],
    ...common,
  },
  {
    id: 'U21',
    title: 'types and file names that lie',
    steps: ({ site }) => [
      read(`${site.url}/image-as-page`, { code: ['OK', 'CORRUPT', 'UNSUPPORTED'] }),
      read(`${site.url}/text-as-image`, { code: ['OK', 'CORRUPT', 'UNSUPPORTED'] }),
      read(`${site.url}/disposition`, { has: 'text', lacks: 'evil' }),
    ],
    varies: true,
  },
  {
    id: 'U22',
    title: '300,000 scripts, and a million elements in one another',
    heavy: true,
    steps: pages('/scripts', '/nested'),
    mostMb: 700,
    mostSeconds: 20,
  },
  {
    id: 'U23',
    title: 'hidden text and escape sequences in a page',
    steps: ({ site }) => [read(`${site.url}/hidden`, { has: '\\x1b[2J', lacks: 'HIDDEN-TEXT' })],
    ...common,
  },
  {
    id: 'U28',
    title: 'a call that is cancelled closes its connection',
    steps: ({ site }) => [
      read(`${site.url}/hang?cancel`, {
        cancelWhen: () => until('the page is asked for', () => site.open.includes('/hang?cancel')),
      }),
    ],
    run: (_, { site }) => until('the connection is closed', () => !site.open.includes('/hang?cancel')),
    varies: true,
  },
];
