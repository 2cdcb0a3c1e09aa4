// Web pages: fetched and converted, read again, and their next range; compared with Readability and turndown. Our memory is
// that of the process and of the converting child, which is killed at 10 s and 512 MiB.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const module = (name) => fileURLToPath(new URL(`./lib/${name}.mjs`, import.meta.url));
const web = { allow: ['127.0.0.1'] };
const MB = sized(5, 0.5);

export async function rows() {
  const server = spawn(process.execPath, [module('web-server')], { stdio: ['ignore', 'pipe', 'inherit'] });
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
  const ours = insideProcess(module('children'), { tool: 'read', input: { path }, web, fresh: true, repeat });
  const theirs = insideProcess(module('readability'), { input: { path }, repeat });
  return {
    what,
    fetched: kb(fetched),
    shown: kb(ours.bytes),
    'first call': ms(ours.cold),
    'warm child': ms(ours.warm),
    memory: mb(ours.mb),
    peer: 'readability + turndown',
    'peer time': theirs.failure ?? ms(theirs.warm),
    'peer shown': kb(theirs.bytes),
    'peer memory': mb(theirs.mb),
    ratio: ratio(ours.warm, theirs.warm),
  };
}

function ranged(what, path, repeat) {
  const ours = insideProcess(module('children'), { tool: 'read', input: { path }, web, repeat });
  return {
    what,
    shown: kb(ours.bytes),
    'first call': ms(ours.cold),
    'warm child': ms(ours.warm),
    memory: mb(ours.mb),
  };
}

const kb = (bytes) =>
  bytes === undefined ? undefined : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
