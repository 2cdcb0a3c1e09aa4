// `oriel check` against each server that can be installed: which hostile cases it passes.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { resolve } from 'node:path';
import { servers } from './lib/mcp.mjs';
import { peer } from './lib/peers.mjs';
import { cli } from './lib/process.mjs';
import { quick } from './lib/quick.mjs';

const checked = {
  ...servers,
  'agent-infra': (folder) => {
    const path = peer('@agent-infra/mcp-server-filesystem', '1.2.29');
    return path && [process.execPath, [resolve(path, 'dist/index.cjs'), '--allowed-directories', folder]];
  },
};

/** Timeout in milliseconds for all cases of a server: one that hangs in many of them takes long. */
const MOST_MS = 900_000;

export async function rows() {
  const reports = {};
  for (const [name, command] of Object.entries(checked)) {
    const found = quick && name !== 'oriel' ? undefined : command('{}');
    if (found) reports[name] = await report(found.flat());
  }
  const cases = reports.oriel.cases.map(({ id, law, title }) => ({
    law,
    case: title,
    ...Object.fromEntries(
      Object.entries(reports).map(([name, { cases: found }]) => {
        const { verdict, reason } = found.find((one) => one.id === id);
        return [name, verdict === 'broken' ? reason : verdict];
      }),
    ),
  }));
  const sums = Object.entries(reports).map(([name, { held, broken, skipped }]) => [
    name,
    `${held} held, ${broken} broken, ${skipped} skipped`,
  ]);
  return [...cases, { law: 'all', case: '', ...Object.fromEntries(sums) }];
}

/** It exits with 1 if a case is broken. */
async function report(command) {
  const args = [cli, 'check', '--json', '--', ...command];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    maxBuffer: 64 << 20,
    timeout: MOST_MS,
  }).catch((error) => error);
  return JSON.parse(stdout);
}
