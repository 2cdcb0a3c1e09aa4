// An MCP server over HTTP that misbehaves in its answer to `resources/list`; the path of its URL says how.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const PACKED = { 'content-encoding': 'gzip' };

const event = (text) => `event: message\n${text.map((part) => `data: ${part}\n`).join('')}\n`;
const inLines = (message) => event(message.split(/(?<=,)/));
// More than the 16 MiB that are taken at once.
const space = ' '.repeat(24 << 20);

/** A gzip stream: the header (i = 0), then blocks that decompress to nothing. */
function emptyBlocks(_, i) {
  return i === 0
    ? Buffer.from('1f8b0800000000000003', 'hex')
    : Buffer.alloc(65_535, Buffer.from('000000ffff', 'hex'));
}

function breakOff(response) {
  setTimeout(() => response.destroy(), 100);
  // Stops the pump.
  response.removeAllListeners('drain');
  return ' '.repeat(1 << 20);
}

/** Writes the chunks of `make` without end, respecting backpressure. */
function pump(response, make) {
  let i = 0;
  const more = () => {
    while (!response.destroyed && response.write(make(response, i++)));
  };
  response.on('drain', more);
  more();
}

/** How many resources are listed, and how the message is sent. */
const ways = {
  json: [100_000, (message) => [message, JSON_TYPE]],
  event: [100_000, (message) => [event([message]), EVENTS]],
  lines: [100, (message) => [inLines(message), EVENTS]],
  'many lines': [20_000, (message) => [inLines(message), EVENTS]],
  others: [
    3,
    (message) => [
      `${event(['{"jsonrpc":"2.0","method":"notifications/message"}']).repeat(2_000)}${event([message])}`,
      EVENTS,
    ],
  ],
  blank: [3, (message) => [`${'\n'.repeat(5_000_000)}${event([message])}`, EVENTS]],
  comment: [3, (message) => [`:${'x'.repeat(5 << 20)}\n${event([message])}`, EVENTS]],
  bomb: [3, (message) => [gzipSync(space + message), { ...JSON_TYPE, ...PACKED }]],
  'endless line': [0, () => [() => `data: ${'a'.repeat(65_536)}`, EVENTS]],
  'endless events': [
    0,
    () => [() => event(['{"jsonrpc":"2.0","method":"notifications/x"}']).repeat(1_000), EVENTS],
  ],
  'endless json': [0, () => [() => space.slice(0, 65_536), JSON_TYPE]],
  'empty blocks': [0, () => [emptyBlocks, { ...EVENTS, ...PACKED }]],
  'broken off': [0, () => [breakOff, EVENTS]],
  'json broken off': [0, () => [breakOff, JSON_TYPE]],
  'bomb of events': [3, (message) => [gzipSync(event([space + message])), { ...EVENTS, ...PACKED }]],
};
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { resources: {} },
  serverInfo: { name: 'odd', version: '1' },
};
const results = {
  initialize: () => initialized,
  'resources/read': () => ({ contents: [{ uri: 'x://1', text: 'text\n' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/list': (count) => ({
    resources: Array.from({ length: count }, (_, i) => ({ uri: `x://${i}`, name: `n${i}` })),
  }),
};

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const [count, way] = ways[decodeURIComponent(request.url.slice(1))];
  const { id, method } = JSON.parse((await request.toArray()).join(''));
  if (id === undefined) return response.writeHead(202).end();
  const message = JSON.stringify({ jsonrpc: '2.0', id, result: results[method](count) });
  const [body, headers] = method === 'resources/list' ? way(message) : [message, JSON_TYPE];
  response.writeHead(200, headers);
  return typeof body === 'function' ? pump(response, body) : response.end(body);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
