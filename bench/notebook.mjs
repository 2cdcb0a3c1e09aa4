// Notebooks with plots: the first page and one cell, compared with parsing the whole JSON in memory.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const folder = '.bench/notebooks';

export async function rows({ megabytes = sized([2, 20, 200], [2]) } = {}) {
  mkdirSync(folder, { recursive: true });
  return megabytes.flatMap((size) => {
    const path = plots(size);
    const peer = parsed(path);
    const row = (what, selector, which) => {
      const ours = insideProcess('ours', { input: { path: path + selector }, repeat: 9 });
      return {
        what,
        size: `${Math.round(statSync(path).size / 1e6)} MB`,
        oriel: ms(ours[which]),
        peer: 'JSON.parse of the file',
        'peer time': ms(peer.ms),
        ratio: ratio(ours[which], peer.ms),
        'oriel memory': mb(ours.mb),
        'peer memory': mb(peer.mb),
      };
    };
    return [
      row('cells, first call', '', 'cold'),
      row('cells, again', '', 'warm'),
      row('last cell, again', `:cells:${size - 1}`, 'warm'),
    ];
  });
}

/** A notebook with one plot of 1 MB in each of its cells. */
function plots(size) {
  const path = `${folder}/${size}mb.ipynb`;
  if (existsSync(path)) return path;
  const file = openSync(path, 'w');
  const data = { 'image/png': 'iVBORw0KGgo'.padEnd(1e6, 'A'), 'text/plain': '<Figure>' };
  writeSync(file, '{"nbformat":4,"metadata":{},"cells":[');
  for (let cell = 0; cell < size; cell += 1) {
    const outputs = [{ output_type: 'display_data', data }];
    const source = [`values = load(${cell})\n`, 'values.plot()'];
    writeSync(file, `${cell === 0 ? '' : ','}${JSON.stringify({ cell_type: 'code', source, outputs })}`);
  }
  writeSync(file, ']}');
  closeSync(file);
  return path;
}

function parsed(path) {
  const code = `
    const { readFileSync } = require('node:fs');
    const start = performance.now();
    JSON.parse(readFileSync(${JSON.stringify(path)}, 'utf8'));
    console.log(JSON.stringify({ ms: performance.now() - start, mb: process.resourceUsage().maxRSS / 1024 }));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', code]));
}
