// An MCP server that is hard to stop. The first argument is a file to which the process ids are appended, the second one
// selects the behaviour. It and its children ignore the end of input and every signal that can be ignored. One child is in
// its process group, one has a session of its own and keeps stdout open, one has an empty environment.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [marks, how] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE']) process.on(signal, () => {});
for (const stream of [process.stdin, process.stdout]) stream.on('error', () => {});
setInterval(() => {}, 60_000);
appendFileSync(marks, `${process.pid} `);

const CHILD = `trap '' TERM INT HUP PIPE; printf '%s ' $$ >> "$0"; while :; do sleep 1; done`;
const child = (options) => spawn('/bin/sh', ['-c', CHILD, marks], { stdio: 'ignore', ...options });
child({});
child({ detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
child({ env: { PATH: process.env.PATH } });

const out = (text, done) => process.stdout.write(text, done);
const say = (message) => out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const endless = (piece) => {
  const more = () => {
    while (out(piece));
    process.stdout.once('drain', more);
  };
  more();
};
const resource = (i) => ({ uri: `x://${i}`, name: `n${i}` });
const PAGE = 50_000;

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { resources: {} },
    serverInfo: { name: how, version: '1' },
  }),
  // 10^6 resources and more: every page has a cursor.
  'resources/list': ({ cursor = '0' }) => ({
    resources: Array.from({ length: how === 'million' ? PAGE : 1 }, (_, i) => resource(Number(cursor) + i)),
    ...(how === 'million' && { nextCursor: String(Number(cursor) + PAGE) }),
  }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': () => ({ contents: [{ uri: 'x://1', text: 'text\n' }] }),
};

const instead = {
  garbage: () => endless('no JSON at all [1, 2\n'.repeat(3_000)),
  line: () => endless('x'.repeat(65_536)),
  gigabyte(id) {
    out(`{"jsonrpc":"2.0","id":${id},"result":{"contents":[{"uri":"x://1","text":"`);
    const piece = 'x'.repeat(1 << 20);
    let left = 1024;
    const more = () => {
      while (left-- > 0) if (!out(piece)) return process.stdout.once('drain', more);
      out('"}]}}\n');
    };
    more();
  },
  dies: (id) => out(`{"jsonrpc":"2.0","id":${id},"result":{"con`, () => process.exit(3)),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  silent: () => {},
};
if (how === 'dies at once') process.exit(3);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || !method || how === 'mute') return;
  if (method === 'resources/read' && instead[how]) return instead[how](id);
  say({ id, result: results[method]?.(params) ?? {} });
});
