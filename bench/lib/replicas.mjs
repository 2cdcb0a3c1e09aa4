// Several `oriel serve` processes: a load that is spread over them round-robin, and the cost of a request for them and their store.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { JSON_HEADERS, send } from './load-client.mjs';
import { listening } from './process.mjs';

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
      listening(args, { env: { ...process.env, XDG_CACHE_HOME: join(home, `cache-${count}-${i}`) } }),
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
    await Promise.all(this.#members.map((member) => member.stop()));
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

/** Calls a tool; without a tool, gets the metrics. */
async function ask(agent, url, tool, input) {
  const headers = { ...JSON_HEADERS, 'oriel-client': 'bench' };
  const target = tool === undefined ? `${url}/metrics` : `${url}/api/v0/tools/${tool}`;
  const { status, text } = await send(target, { agent, headers, body: input && JSON.stringify(input) });
  if (status !== 200 || (tool !== undefined && /"isError":true/.test(text)))
    throw new Error(`${status}: ${text.slice(0, 300)}`);
  return { text };
}
