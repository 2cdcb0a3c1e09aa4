// Web pages: fetched and converted, read again, and their next range; compared with Readability and turndown. Our memory is
// that of the process and of the converting child, which is killed at 10 s and 512 MiB.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const webServer = fileURLToPath(new URL('./lib/web-server.mjs', import.meta.url));
const ours = (path, options) =>
  insideProcess('ours', {
    input: { path },
    options: { web: { allow: ['127.0.0.1'] } },
    children: true,
    ...options,
  });
const MB = sized(5, 0.5);

export async function rows() {
  const server = spawn(process.execPath, [webServer], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(server.stdout, 'data');
    const url = String(line).trim();
    return [
      await converted('an article', `${url}/article`, 9),
      await converted(`a manual of ${MB} MB`, `${url}/docs`, 5),
      await converted('thousands of times `<script`', `${url}/scripts`, 5),
      ranged('its next range', `${url}/docs:301..`, 9),
    ];
  } finally {
    server.kill();
  }
}

async function converted(what, path, repeat) {
  const fetched = (await (await fetch(path)).arrayBuffer()).byteLength;
  // A first call starts the child before the measured ones.
  const mine = ours(path, { fresh: true, repeat });
  const theirs = insideProcess('readability', { input: { path }, repeat });
  return {
    what,
    fetched: kb(fetched),
    shown: kb(mine.bytes),
    'first call': mine.failure ?? ms(mine.cold),
    'warm child': ms(mine.warm),
    memory: mb(mine.mb && mine.mb + mine.below),
    peer: 'readability + turndown',
    'peer time': theirs.failure ?? ms(theirs.warm),
    'peer shown': kb(theirs.bytes),
    'peer memory': mb(theirs.mb),
    ratio: ratio(mine.warm, theirs.warm),
  };
}

function ranged(what, path, repeat) {
  const mine = ours(path, { repeat });
  return {
    what,
    shown: kb(mine.bytes),
    'first call': mine.failure ?? ms(mine.cold),
    'warm child': ms(mine.warm),
    memory: mb(mine.mb && mine.mb + mine.below),
  };
}

const kb = (bytes) =>
  bytes === undefined ? undefined : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
