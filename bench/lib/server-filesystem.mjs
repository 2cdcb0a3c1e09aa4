// One call of @modelcontextprotocol/server-filesystem over stdio.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { dirname, resolve } from 'node:path';
import { peer } from './peers.mjs';

const NAME = '@modelcontextprotocol/server-filesystem';
const VERSION = '2026.8.31';

export async function prepare({ tool, input }) {
  const { ask, pid } = await started(dirname(input.path));
  const call = async () => {
    const { result, error } = await ask('tools/call', { name: tool, arguments: input });
    const text = result?.content?.[0]?.text ?? error?.message ?? '';
    if (error || result.isError) throw new Error(text.slice(0, 100));
    return text;
  };
  const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return { call, peak };
}

/** For several calls of a tool: returns `[text, {}]` for an input; undefined if it is not installed. */
export async function serverFilesystem(directory, tool) {
  if (!peer(NAME, VERSION)) return undefined;
  const { ask, end } = await started(directory);
  const call = async (input) => {
    const { result, error } = await ask('tools/call', { name: tool, arguments: input });
    return [result?.content?.[0]?.text ?? error?.message ?? '', {}];
  };
  return Object.assign(call, { close: end });
}

async function started(directory) {
  const path = peer(NAME, VERSION);
  if (!path) throw new Error('not installable here');
  const server = spawn(process.execPath, [resolve(path, 'dist/index.js'), directory], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (method, params) =>
    new Promise((done) => {
      id += 1;
      waiting.set(id, done);
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { ask, pid: server.pid, end: () => server.kill() };
}
