// One call of @modelcontextprotocol/server-filesystem over stdio.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { dirname, resolve } from 'node:path';
import { peer } from './peers.mjs';

export async function prepare({ tool, input }) {
  const path = peer('@modelcontextprotocol/server-filesystem', '2026.8.31');
  if (!path) throw new Error('not installable here');
  const server = spawn(process.execPath, [resolve(path, 'dist/index.js'), dirname(input.path)], {
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
  const call = async () => {
    const { result, error } = await ask('tools/call', { name: tool, arguments: input });
    const text = result?.content?.[0]?.text ?? error?.message ?? '';
    if (error || result.isError) throw new Error(text.slice(0, 100));
    return text;
  };
  const peak = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
  return { call, peak };
}
