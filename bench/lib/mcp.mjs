// Starts and times MCP servers over stdio.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { peer } from './peers.mjs';
import { cli } from './process.mjs';

/** The command of each server for a directory; undefined if it cannot be installed. */
export const servers = {
  oriel: (folder) => [process.execPath, [cli, 'mcp', folder]],
  'server-filesystem': (folder) => {
    const path = peer('@modelcontextprotocol/server-filesystem', '2026.8.31');
    return path && [process.execPath, [resolve(path, 'dist/index.js'), folder]];
  },
  'desktop-commander': () => {
    const path = peer('@wonderwhy-er/desktop-commander', '0.2.52');
    return path && [process.execPath, [resolve(path, 'dist/index.js'), '--no-onboarding']];
  },
};

/** CPU time, in ticks of 10 ms (USER_HZ). Source: proc_pid_stat(5). */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** `{ startMs, ask, rss, cpu, stop }`: milliseconds from spawn to the answer of `initialize`. */
export async function start([command, args], cwd, env = process.env) {
  const began = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let rest = [];
  child.stdout.on('data', (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      from = at + 1;
      try {
        const message = JSON.parse(line);
        waiting.get(message.id)?.(message, line.length);
      } catch {
        // Some servers print other text on stdout.
      }
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  });
  let id = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method, params = {}, timeoutMs = 60_000) =>
    new Promise((done) => {
      id += 1;
      const timer = setTimeout(() => done({ timedOut: true }), timeoutMs);
      waiting.set(id, (message, bytes) => {
        clearTimeout(timer);
        done({ ...message, bytes });
      });
      send({ id, method, params });
    });
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  const startMs = performance.now() - began;
  send({ method: 'notifications/initialized' });
  const memory = (field) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) /
    1024;
  return {
    startMs,
    pid: child.pid,
    ask,
    /** Resident megabytes now, and the peak. */
    rss: () => memory('VmRSS'),
    peak: () => memory('VmHWM'),
    /** Milliseconds of CPU time so far, user and system. */
    cpu: () => processorMs(child.pid),
    stop: () => {
      child.kill('SIGKILL');
      return new Promise((done) => child.once('exit', done));
    },
  };
}
