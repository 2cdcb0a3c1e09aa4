// Several `oriel serve` processes: a load that is spread over them round-robin, and the cost of a request for them and their store.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { AUTHORIZATION } from './process.mjs';

/** Ticks per second in /proc/PID/stat. */
const TICKS = 100;

export class Replicas {
  #members;

  constructor(members) {
    this.#members = members;
  }

  /** Each with a cache of its own below `home`. */
  static async start(count, args, home) {
    const starting = Array.from({ length: count }, (_, i) =>
      listening(args, join(home, `cache-${count}-${i}`)),
    );
    return new Replicas(await Promise.all(starting));
  }

  get urls() {
    return this.#members.map(({ url }) => url);
  }

  /** CPU seconds of all replicas, with their children. */
  cpu() {
    return this.#members.reduce((all, { child }) => all + cpuOf(child.pid), 0);
  }

  async stop() {
    await Promise.all(
      this.#members.map(({ child }) => {
        const over = new Promise((done) => child.once('exit', done));
        child.kill();
        return over;
      }),
    );
  }

  /** Keeps the output of a command on the first replica, and reads it through each; returns its path. */
  async keep(command) {
    const agent = new Agent();
    const { text } = await ask(agent, this.#members[0].url, 'bash', { command });
    const { artifact } = JSON.parse(text).details.output;
    for (const { url } of this.#members) await ask(agent, url, 'read', { path: `${artifact}:1..2` });
    agent.destroy();
    return artifact;
  }

  /** `call(i)`: the tool and the input of request `i`. Figures are per request. */
  async load(connections, seconds, call) {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const before = await this.#used(agent);
    const own = process.cpuUsage();
    const began = performance.now();
    let [sent, bytes] = [0, 0];
    const worker = async () => {
      while (performance.now() < began + seconds * 1000) {
        const i = sent++;
        const { url } = this.#members[i % this.#members.length];
        const got = await ask(agent, url, ...call(i));
        bytes += got.text.length;
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    const elapsed = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(own);
    const after = await this.#used(agent);
    agent.destroy();
    return {
      perSecond: sent / elapsed,
      bytes: bytes / sent,
      cpuMs: ((after.cpu - before.cpu) * 1000) / sent,
      ownMs: (user + system) / 1000 / sent,
      operations: (after.operations - before.operations) / sent,
      stored: (after.stored - before.stored) / sent,
      memory: after.memory,
    };
  }

  /** CPU seconds with children, operations of the store and their bytes; and the maximum memory in MB. */
  async #used(agent) {
    const used = { cpu: 0, operations: 0, stored: 0, memory: 0 };
    for (const { url, child } of this.#members) {
      const { text } = await ask(agent, url);
      used.operations += sum(text, 'oriel_state_operations_total');
      used.stored += sum(text, 'oriel_state_bytes_total');
      used.cpu += cpuOf(child.pid);
      const kib = Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${child.pid}/status`))?.[1] ?? 0);
      used.memory = Math.max(used.memory, kib / 1000);
    }
    return used;
  }
}

function cpuOf(pid) {
  const [, fields = ''] = /\) (.*)/.exec(read(`/proc/${pid}/stat`)) ?? [];
  const times = fields.split(' ').slice(11, 15).map(Number);
  return times.reduce((all, one) => all + one, 0) / TICKS;
}

/** Empty if the system has no such file. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(metrics, name) {
  const found = metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'));
  return [...found].reduce((all, [, value]) => all + Number(value), 0);
}

function listening(args, cache) {
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  return new Promise((done, fail) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      if (said.length < 10_000) said += chunk;
      const url = /"address":"([^"]+)"/.exec(said)?.[1];
      if (url) done({ url, child });
    });
    child.once('exit', () => fail(new Error(said)));
  });
}

/** Calls a tool; without a tool, gets the metrics. */
function ask(agent, url, tool, input) {
  const headers = { 'content-type': 'application/json', 'oriel-client': 'bench', ...AUTHORIZATION };
  const target = tool === undefined ? `${url}/metrics` : `${url}/api/v0/tools/${tool}`;
  return new Promise((done, fail) => {
    const sent = request(
      target,
      { agent, method: tool === undefined ? 'GET' : 'POST', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => {
          const failed = response.statusCode !== 200 || (tool !== undefined && /"isError":true/.test(text));
          if (failed) fail(new Error(`${response.statusCode}: ${text.slice(0, 300)}`));
          else done({ text });
        });
      },
    );
    sent.on('error', fail).end(input === undefined ? undefined : JSON.stringify(input));
  });
}
