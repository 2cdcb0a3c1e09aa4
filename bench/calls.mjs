// The number of calls and bytes of answers to read a file to its end by following the notices. Refused calls count.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOriel } from '../dist/index.js';
import { folder, log } from './lib/data.mjs';
import { sized } from './lib/quick.mjs';
import { newerNode } from './lib/peers.mjs';
import { insideProcess } from './lib/process.mjs';

const at = (name) => fileURLToPath(new URL(`./lib/${name}.mjs`, import.meta.url));

const sizes = { '200 KB': 200 << 10, ...sized({ '1 MB': 1 << 20, '10 MB': 10 << 20 }, {}) };

/** The next input from the text of an answer; undefined at the end. */
const follow = {
  path: (text) => match(text, /Use (.+) to continue\]$/, (path) => ({ path })),
  offset: (text, input) =>
    match(text, /Use offset=(\d+) to continue/, (offset) => ({ ...input, offset: Number(offset) })),
  header: (text, input) =>
    match(text, /; continue with start_byte=(\d+)\]\n/, (start) => ({ ...input, start_byte: Number(start) })),
  envelope(text, input) {
    const { data } = JSON.parse(text);
    return data.truncated ? { ...input, offset: data.offset + data.lines_shown } : undefined;
  },
  /** Halves the number of lines until they fit, then keeps it. */
  portions(text, input) {
    const { error, lines_read, total_lines } = JSON.parse(text);
    if (error) return { ...input, limit: input.limit ? Math.floor(input.limit / 2) : 2000 };
    const offset = (input.offset ?? 1) + lines_read;
    return offset > total_lines ? undefined : { ...input, offset };
  },
};

function match(text, pattern, next) {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : next(found);
}

const ours = [
  ['oriel read', 'oriel', 'read', (path) => ({ path: basename(path) }), follow.path],
  ['oriel read, :@0+256K', 'oriel', 'read', (path) => ({ path: `${basename(path)}:@0+256K` }), follow.path],
  ['pi read', 'pi', 'read', (path) => ({ path: basename(path) }), follow.offset],
  ['zed read_file', 'zed', 'read_file', (path) => ({ path: basename(path) }), follow.header],
  ['zed read_file, max_bytes 262144', 'zed', 'read_file', byteWindow, follow.header],
  ['zdx read', 'zdx', 'read', (path) => ({ path: basename(path) }), follow.envelope],
  ['coder read_file', 'coder', 'read_file', (path) => ({ path }), follow.portions],
];

function byteWindow(path) {
  return { path: basename(path), max_bytes: 262_144 };
}

/** A row for each tool, a column for each size: `4 calls, 1.1 MB`. */
export async function rows() {
  const table = [];
  for (const [what, dialect, tool, first, next] of ours) {
    const read = createOriel({ cwd: folder, dialect }).tool(tool);
    const ask = async (input) => (await read.run(input)).content[0].text;
    table.push({ what, ...(await measured((path) => finish(ask, first(path), next))) });
  }
  table.push({ what: 'pi published (0.87.1)', ...(await measured(published)) });
  table.push({ what: 'server-filesystem read_text_file', ...(await measured(wholeFile)) });
  return table;
}

async function measured(read) {
  const cells = {};
  for (const [name, size] of Object.entries(sizes)) {
    const path = log(`calls-${size}.log`, size);
    try {
      const { calls, bytes } = await read(path);
      cells[name] = `${calls} ${calls === 1 ? 'call' : 'calls'}, ${(bytes / 1e6).toFixed(2)} MB`;
    } catch (error) {
      cells[name] = `fails: ${error.message.slice(0, 40)}`;
    }
  }
  return cells;
}

async function finish(ask, first, next) {
  let calls = 0;
  let bytes = 0;
  for (let input = first; input !== undefined; calls += 1) {
    const text = await ask(input);
    bytes += Buffer.byteLength(text);
    input = next(text, input);
  }
  return { calls, bytes };
}

/** pi's published tool, which may need a newer Node than this one. */
function published(path) {
  const { failure, text } = insideProcess(at('pi-pages'), { input: { path } }, newerNode());
  if (failure) throw new Error(failure);
  return JSON.parse(text);
}

/** It has no pages, only head and tail: the middle is reached by reading the whole file. */
function wholeFile(path) {
  const { failure, bytes } = insideProcess(at('server-filesystem'), {
    tool: 'read_text_file',
    input: { path },
  });
  if (failure) throw new Error(failure);
  return { calls: 1, bytes };
}
