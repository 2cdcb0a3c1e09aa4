/** Requests that no client would send: over HTTP, over stdio, and as arguments of a tool. */

import { expect } from 'vitest';
import { mcpHeaders } from '../../../support/server.ts';
import type { Case } from '../case.ts';
import { SECRET } from '../place.ts';
import type { Door, HttpDoor, StdioDoor, WayName } from '../way.ts';

const overHttp: readonly WayName[] = ['mcp-http', 'workspace-http'];
const overMcp: readonly WayName[] = ['mcp-stdio', 'mcp-http'];

const httpOf = ({ http }: Door): HttpDoor => http as HttpDoor;
const stdioOf = ({ stdio }: Door): StdioDoor => stdio as StdioDoor;

/** A request with these headers in place of those that a client sends; `undefined` leaves one out. */
async function send(
  door: Door,
  headers: Record<string, string | undefined>,
  more: { method?: string; path?: string; body?: string } = {},
): Promise<string> {
  const { path, body, port, token, raw } = httpOf(door);
  const text = more.body ?? JSON.stringify(body('plain.txt'));
  const all: Record<string, string | undefined> = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: mcpHeaders.accept,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const first = `${more.method ?? 'POST'} ${more.path ?? path} HTTP/1.1`;
  return raw(`${[first, ...lines].join('\r\n')}\r\n\r\n${text}`);
}

const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d+) /.exec(said)?.[1]);

const head = ({ path, token }: HttpDoor): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

export const protocols: readonly Case[] = [
  {
    id: 'H08',
    title: 'a body of 1 GB, and one in chunks without an end',
    ways: overHttp,
    async run(door) {
      const { raw } = httpOf(door);
      expect(statusOf(await raw(`${head(httpOf(door))}Content-Length: 1073741824\r\n\r\n{`))).toBe(413);
      const piece = Buffer.alloc(2 ** 20, 'a');
      const chunk = Buffer.concat([
        Buffer.from(`${piece.length.toString(16)}\r\n`),
        piece,
        Buffer.from('\r\n'),
      ]);
      const chunks = Array.from({ length: 40 }, () => chunk);
      expect(
        statusOf(await raw([`${head(httpOf(door))}Transfer-Encoding: chunked\r\n\r\n`, ...chunks])),
      ).toBe(413);
    },
    mostMb: 100,
  },
  {
    id: 'H12',
    title: 'clients that go away in the middle of an answer',
    ways: overHttp,
    make: ({ write }) => write('big', `${'x'.repeat(99)}\n`.repeat(20_000)),
    async run(door) {
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(
          Array.from({ length: 20 }, async (_, i) => {
            const stop = new AbortController();
            const asked = door.call('read', { path: 'big:-1000' }, stop.signal);
            setTimeout(() => stop.abort(), i % 5);
            await asked;
          }),
        );
      }
    },
  },
  {
    id: 'H13',
    title: 'requests that two parsers would read differently',
    ways: overHttp,
    async run(door) {
      const http = httpOf(door);
      const start = head(http);
      const odd = [
        `${start}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
        `${start}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
        `${start}Content-Length: +2\r\n\r\n{}`,
        `${start}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
        `${start}Transfer-Encoding: chunked, chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`,
        `${start}Content-Length : 2\r\n\r\n{}`,
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n',
        'GET /healthz HTTP/1.1\r\n\r\n',
        `POST ${http.path} HTTP/1.1\nHost: localhost\nContent-Length: 2\n\n{}`,
        `${start}X-A: b\r\n c: d\r\nContent-Length: 2\r\n\r\n{}`,
        `${start}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`,
      ];
      const said = await Promise.all(odd.map((bytes) => http.raw(bytes)));
      // What follows on the connection is not read: it would be of another request.
      expect(
        said.map((text) => [
          statusOf(text),
          text.match(/HTTP\/1\.1 /g)?.length,
          /connection: close/i.test(text),
        ]),
      ).toEqual(odd.map(() => [400, 1, true]));
    },
  },
  {
    id: 'H14',
    title: 'headers that are too long or too many',
    ways: overHttp,
    async run(door) {
      const http = httpOf(door);
      const many = Array.from({ length: 10_000 }, (_, i) => `x${i}: 1\r\n`).join('');
      for (const headers of [`X-Long: ${'a'.repeat(20_000)}\r\n`, many])
        expect(statusOf(await http.raw(`${head(http)}${headers}\r\n`))).toBe(431);
      const longTarget = `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      expect(statusOf(await http.raw(longTarget))).toBe(431);
    },
  },
  {
    id: 'M01',
    title: 'messages that are none',
    ways: overMcp,
    async run(door) {
      const frames = [
        '{"jsonrpc":"2.0","id":9,"method":',
        '[]',
        'null',
        '"ping"',
        '['.repeat(100_000),
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
      ];
      for (const frame of frames) {
        if (door.stdio) {
          const refused = stdioOf(door).next((line) => line.includes('"error"'));
          await stdioOf(door).write(`${frame}\n`);
          expect(await refused).toMatch(/"code":-32(?:700|600)\b/);
        } else {
          const said = await send(door, {}, { body: frame });
          const isRefused = [400, 413].includes(statusOf(said)) || /"code":-32(?:700|600)\b/.test(said);
          expect([frame.slice(0, 40), isRefused], said.slice(0, 300)).toEqual([frame.slice(0, 40), true]);
        }
      }
    },
  },
  {
    id: 'M03',
    title: 'a message byte by byte, and 500 in one write',
    ways: ['mcp-stdio'],
    async run(door) {
      const { write, next, lines } = stdioOf(door);
      const before = lines.length; // the case may be run again on a machine that was busy
      const ping = (id: string): string => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
      const answered = next((line) => line.includes('"slowly"'));
      for (const byte of Buffer.from(`${ping('slowly')}\n`)) await write(Buffer.from([byte]));
      await answered;
      const last = next((line) => line.includes('"many 499"'));
      await write(
        Array.from({ length: 500 }, (_, i) => `${ping(`many ${i}`)}${i % 2 ? '\r\n' : '\n\n'}`).join(''),
      );
      await last;
      await door.call('read', { path: 'plain.txt' });
      expect(lines.slice(before).filter((line) => line.includes('"many ')).length).toBe(500);
    },
  },
  {
    id: 'M04',
    title: '100 MB without a line feed',
    ways: ['mcp-stdio'],
    async run(door) {
      const { write, next } = stdioOf(door);
      const refused = next((line) => line.includes('larger than 4 MiB'));
      const piece = Buffer.alloc(2 ** 20, 'a');
      for (let i = 0; i < 100; i += 1) await write(piece);
      await write('\n');
      await refused;
    },
    mostMb: 100,
  },
  {
    id: 'M05',
    title: 'arguments of wrong types, missing, unknown, and named like a prototype',
    // Some parsers of JSON drop what is named like a prototype, others refuse it.
    varies: true,
    steps: [
      ...[5, null, ['a'], { a: 1 }].map((path) => ({
        tool: 'read',
        input: { path },
        code: ['BAD_INPUT', 'PROTOCOL'],
        has: 'path',
      })),
      { tool: 'read', input: {}, code: ['BAD_INPUT', 'PROTOCOL'], has: 'path' },
      { tool: 'read', input: { path: '.', extra: 1 }, code: ['BAD_INPUT', 'PROTOCOL'], has: 'extra' },
      {
        tool: 'read',
        input: JSON.parse('{"path":"plain.txt","__proto__":{"x":1}}') as object,
        code: ['BAD_INPUT', 'PROTOCOL', 'OK'],
      },
      { tool: 'read', input: { path: 'x'.repeat(70_000) }, code: ['BAD_INPUT', 'NAME_TOO_LONG'] },
    ],
  },
  {
    id: 'M08',
    title: 'two requests with one id, while the first runs',
    ways: overMcp,
    async run(door) {
      const message = (id: string, tool: string, input: object): string =>
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: tool, arguments: input },
        });
      const command = message('twice', 'bash', { command: 'sleep 0.5; echo first' });
      const other = message('twice', 'read', { path: 'plain.txt' });
      if (door.stdio) {
        const { write, next } = stdioOf(door);
        const refused = next((line) => line.includes('-32600'));
        const answered = next((line) => line.includes('"twice"') && line.includes('first'));
        await write(`${command}\n${other}\n`);
        await Promise.all([refused, answered]);
        return;
      }
      // Requests without a session are their own: neither waits for the other, and nothing crosses.
      const [one, two] = await Promise.all([
        send(door, {}, { body: command }),
        send(door, {}, { body: other }),
      ]);
      expect(one).toContain('first');
      expect(one).not.toContain('still served');
      expect(two).not.toContain('first');
    },
  },
  {
    id: 'M09',
    title: 'nothing but messages on stdout',
    ways: ['mcp-stdio'],
    async run(door) {
      await door.call('bash', { command: 'echo out; echo err >&2' });
      for (const line of stdioOf(door).lines) {
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        expect(line).not.toMatch(/[\0-\x08\v-\x1f\x7f-\x9f]/);
      }
    },
  },
  {
    id: 'M14',
    title: 'the list of tools is the same each time, and clean',
    async run(door) {
      const first = JSON.stringify(await door.tools());
      expect(JSON.stringify(await door.tools())).toBe(first);
      expect(first).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
      expect((JSON.parse(first) as { name: string }[]).map(({ name }) => name)).toContain('read');
    },
  },
  {
    id: 'M15',
    title: 'resources outside the roots',
    ways: ['mcp-stdio'],
    async run(door, { W, O }) {
      const { write, next } = stdioOf(door);
      const uris = [
        'file:///etc/passwd',
        `file://${W}/../outside/secret.txt`,
        `file://${W}/%2e%2e/outside/secret.txt`,
        `file://${O}/secret.txt`,
        'file://evil.test/etc/passwd',
        'http://127.0.0.1/',
        'nonsense',
        '',
      ];
      for (const [i, uri] of uris.entries()) {
        const answered = next((line) => line.includes(`"uri ${i}"`));
        await write(
          `${JSON.stringify({ jsonrpc: '2.0', id: `uri ${i}`, method: 'resources/read', params: { uri } })}\n`,
        );
        const line = await answered;
        expect(line).toContain('"error"');
        expect(line).not.toContain(SECRET);
      }
    },
  },
];
