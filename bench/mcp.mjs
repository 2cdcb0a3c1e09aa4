// Comparison of MCP servers: start, idle memory, size of their schemas, a small read, size of the installation.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { folder } from './lib/data.mjs';
import { servers, start } from './lib/mcp.mjs';
import { overrides } from './lib/peers.mjs';
import { quick, sized } from './lib/quick.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const STARTS = sized(11, 1);
const READS = sized(4_000, 50);
const READS_A_TURN = 50;
/** The reads of a server end after this many milliseconds, so that a slow server does not delay the others. */
const ENOUGH_MS = 20_000;

/** The server to which ratios refer. */
const BESIDE = 'server-filesystem';

const small = {
  oriel: (path) => ({ name: 'read', arguments: { path } }),
  'server-filesystem': (path) => ({ name: 'read_text_file', arguments: { path } }),
  'desktop-commander': (path) => ({ name: 'read_file', arguments: { path } }),
};

const packages = {
  'server-filesystem': '@modelcontextprotocol/server-filesystem@2026.8.31',
  'desktop-commander': '@wonderwhy-er/desktop-commander@0.2.52',
};

export async function rows() {
  mkdirSync(folder, { recursive: true });
  const path = resolve(folder, 'small.txt');
  writeFileSync(path, 'a small file\n'.repeat(100));
  const known = Object.entries(servers).flatMap(([name, command]) => {
    const found = command(folder);
    return found ? [[name, found]] : [];
  });
  const starts = Object.fromEntries(known.map(([name]) => [name, []]));
  // Alternating, so that a machine that slows down affects all.
  for (let i = 0; i <= STARTS; i += 1) {
    for (const [name, command] of known) {
      const server = await start(command, folder);
      if (i > 0) starts[name].push(server.startMs);
      // After a second oriel keeps its compiled code for the next start.
      else await new Promise((done) => setTimeout(done, sized(2_000, 100)));
      await server.stop();
    }
  }
  const measured = [];
  for (const [name, command] of known) {
    const server = await start(command, folder);
    const { result } = await server.ask('tools/list');
    await new Promise((done) => setTimeout(done, sized(1_000, 100)));
    measured.push([name, { server, result, idle: server.rss(), times: [], cpu: 0, spent: 0 }]);
  }
  for (let i = 0; i < READS; i += READS_A_TURN) {
    for (const [name, one] of measured) {
      if (one.spent > ENOUGH_MS) continue;
      const before = one.server.cpu();
      const turn = performance.now();
      for (let k = 0; k < READS_A_TURN; k += 1) {
        const began = performance.now();
        await one.server.ask('tools/call', small[name](path));
        one.times.push(performance.now() - began);
      }
      one.cpu += one.server.cpu() - before;
      one.spent += performance.now() - turn;
    }
  }
  for (const [, { server }] of measured) await server.stop();
  const beside = Object.fromEntries(measured)[BESIDE];
  const table = measured.map(([name, { idle, result, times, cpu }]) => {
    const sorted = times.toSorted((a, b) => a - b);
    return {
      server: name,
      'start to initialize': ms(median(starts[name])),
      ratio: beside && ratio(median(starts[name]), median(starts[BESIDE])),
      'idle memory': mb(idle),
      'tool schemas': `${(JSON.stringify(result.tools).length / 1000).toFixed(1)} KB, ${result.tools.length} tools`,
      'small read': ms(median(times)),
      'ratio of it': beside && ratio(median(times), median(beside.times)),
      'its p99': ms(sorted[Math.floor(sorted.length * 0.99)]),
      'its processor time': ms(cpu / times.length),
      installed: quick ? undefined : installed(name),
    };
  });
  const missing = Object.keys(servers).filter((name) => !known.some(([found]) => found === name));
  return [...table, ...missing.map((name) => ({ server: name, 'start to initialize': 'not installed' }))];
}

/** Disk usage of `npm install` of the published package, without optional peers. */
function installed(name) {
  const home = mkdtempSync(join(tmpdir(), 'oriel-install-'));
  try {
    if (!packages[name])
      execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', home]);
    const what =
      packages[name] ??
      join(
        home,
        readdirSync(home).find((file) => file.endsWith('.tgz')),
      );
    writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, overrides }));
    const flags = ['--prefix', home, '--no-audit', '--no-fund', '--silent', '--ignore-scripts'];
    execFileSync('npm', ['install', ...flags, what], { stdio: 'ignore' });
    const modules = join(home, 'node_modules');
    const bytes = Number(execFileSync('du', ['-sk', modules], { encoding: 'utf8' }).split('\t')[0]) * 1024;
    const count = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(
      (entry) =>
        entry.name === 'package.json' &&
        existsSync(join(entry.parentPath, 'package.json')) &&
        isPackage(entry.parentPath),
    ).length;
    return `${Math.round(bytes / 1e6)} MB, ${count} packages`;
  } catch {
    return undefined;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const isPackage = (path) => /node_modules\/(@[^/]+\/)?[^/]+$/.test(path);
