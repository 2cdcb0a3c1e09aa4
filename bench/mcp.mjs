// MCP servers beside each other: start, idle memory, what their schemas cost, a small read, what an installation weighs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { folder } from './lib/data.mjs';
import { servers, start } from './lib/mcp.mjs';
import { overrides } from './lib/peers.mjs';
import { mb, median, ms } from './lib/table.mjs';

const STARTS = 11;
const READS = 500;

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
  // In turns, so that a machine that slows down slows all.
  for (let i = 0; i <= STARTS; i += 1) {
    for (const [name, command] of known) {
      const server = await start(command, folder);
      if (i > 0) starts[name].push(server.startMs);
      await server.stop();
    }
  }
  const table = [];
  for (const [name, command] of known) {
    const server = await start(command, folder);
    const { result } = await server.ask('tools/list');
    await new Promise((done) => setTimeout(done, 1_000));
    const idle = server.rss();
    const times = [];
    for (let i = 0; i < READS; i += 1) {
      const began = performance.now();
      await server.ask('tools/call', small[name](path));
      times.push(performance.now() - began);
    }
    await server.stop();
    const sorted = times.toSorted((a, b) => a - b);
    table.push({
      server: name,
      'start to initialize': ms(median(starts[name])),
      'idle memory': mb(idle),
      'tool schemas': `${(JSON.stringify(result.tools).length / 1000).toFixed(1)} KB, ${result.tools.length} tools`,
      'small read': ms(median(times)),
      'its p99': ms(sorted[Math.floor(READS * 0.99)]),
      installed: installed(name),
    });
  }
  return table;
}

/** What `npm install` of the published package leaves on the disk; peers that are optional stay out. */
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
