// The same reading tasks in each dialect and with server-filesystem: calls, bytes and tokens until all required lines were
// shown. A scripted reader requests as precisely as the tool allows, and follows the notices.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { log } from './lib/data.mjs';
import { readers } from './lib/dialect-readers.mjs';
import { newerNode } from './lib/peers.mjs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { serverFilesystem } from './lib/server-filesystem.mjs';

/** Calls after which a reader gives up. */
const MOST_CALLS = 1_000;

/** Lines `from` to `to` (inclusive) of a file; the whole file without them. `last`: the number of last lines. */
function tasksIn(directory) {
  const code = join(directory, 'service.ts');
  const methods = Array.from({ length: 400 }, (_, i) =>
    [
      `  method${i}(value: number): number {`,
      `    const doubled = value * ${i};`,
      '    return doubled;',
      '  }',
      '',
    ].join('\n'),
  );
  writeFileSync(code, `export class Service {\n${methods.join('\n')}}\n`);
  const notes = join(directory, 'notes.txt');
  writeFileSync(notes, Array.from({ length: 1_200 }, (_, i) => `note ${i + 1} ${'.'.repeat(40)}\n`).join(''));
  const huge = log('calls-10485760.log', 10 << 20);
  return [
    { name: 'all of a text of 60 KB', path: notes },
    { name: 'one method of a class of 2,000 lines', path: code, from: 1_002, to: 1_005 },
    { name: 'a stack trace names line 60,000 of a log of 10 MiB', path: huge, from: 59_990, to: 60_010 },
    { name: 'the last 20 lines of that log', path: huge, last: 20 },
    { name: 'all of a text of 200 KiB', path: log('calls-204800.log', 200 << 10) },
    ...sized(
      [
        { name: 'all of a text of 1 MiB', path: log('calls-1048576.log', 1 << 20) },
        { name: 'all of that log', path: huge },
      ],
      [],
    ),
  ];
}

const linesOf = (path) => readFileSync(path, 'utf8').replace(/\n$/, '').split('\n');

const pages = (name) => ({ ...readers[name], dialect: name, all: (path) => ({ path }), lines: pageFrom });
const pageFrom = (path, from, to) => ({ path, offset: from, limit: to - from + 1 });

const oriel = {
  dialect: 'oriel',
  tool: 'read',
  all: (path) => ({ path: `${path}:1..` }),
  lines: (path, from, to) => ({ path: `${path}:${from}..${to}` }),
  last: (path, count) => ({ path: `${path}:-${count}` }),
  next: (_text, _input, { truncation }) => truncation?.next && { path: truncation.next },
};

const zed = {
  dialect: 'zed',
  tool: 'read_file',
  all: (path) => ({ path, start_byte: 0 }),
  lines: (path, from, to) => ({ path, start_line: from, end_line: to }),
  next(text, { path, max_bytes }) {
    const at = /continue with start_byte=(\d+)/.exec(text.slice(0, 200))?.[1];
    return at && { path, max_bytes, start_byte: Number(at) };
  },
};

/** The inputs of each tool, and the next call from an answer. Without `lines` only whole files are read. */
const SURFACES = {
  oriel,
  'oriel, :@0+256K': { ...oriel, all: (path) => ({ path: `${path}:@0+256K` }), lines: undefined },
  pi: pages('pi'),
  'pi published (0.87.1)': { whole: piPages },
  zed,
  'zed, max_bytes 262144': {
    ...zed,
    all: (path) => ({ path, max_bytes: 262_144 }),
    lines: undefined,
  },
  zdx: pages('zdx'),
  coder: pages('coder'),
  'server-filesystem': {
    tool: 'read_text_file',
    all: (path) => ({ path }),
    // It has only windows from the start and from the end.
    lines: (path, _, to) => ({ path, head: to }),
    last: (path, count) => ({ path, tail: count }),
    next: () => undefined,
  },
};

/** It may need a newer Node than this one. */
function piPages(path) {
  const { failure, text } = insideProcess('pi', { input: { path }, follow: true }, newerNode());
  return failure ? { calls: `fails: ${failure.slice(0, 40)}` } : JSON.parse(text);
}

export async function rows() {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  try {
    const table = [];
    for (const task of tasksIn(directory)) {
      const needed = neededLines(task);
      for (const [name, surface] of Object.entries(SURFACES)) {
        if (!surface.lines && !isWhole(task)) continue;
        const call = surface.whole ? undefined : await opened(surface);
        if (!call && !surface.whole) continue;
        const done = call ? await perform(surface, call, task, needed) : shown(surface.whole(task.path));
        table.push({ task: task.name, through: name, ...done });
        await call?.close();
      }
    }
    return table;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function neededLines({ path, from, to, last }) {
  const lines = linesOf(path);
  return last === undefined ? lines.slice((from ?? 1) - 1, to) : lines.slice(-last);
}

/** Undefined if the peer is not installed. */
async function opened({ dialect, tool }) {
  if (dialect === undefined) return serverFilesystem('/', tool);
  const { createOriel } = await import('../dist/index.js');
  const oriel = createOriel({ cwd: '/', dialect });
  const call = async (input) => {
    const { content, details } = await oriel.tool(tool).run(input);
    return [content.map(({ text = '' }) => text).join('\n'), details];
  };
  return Object.assign(call, { close: () => oriel.close() });
}

async function perform(surface, call, task, needed) {
  const record = { calls: 0, bytes: 0, text: '' };
  const ask = async (input) => {
    const [text, details] = await call(input);
    record.calls += 1;
    record.bytes += Buffer.byteLength(text);
    record.text += `${text}\n`;
    return surface.next(text, input, details);
  };
  // A whole file is read to its end; for a part, the reader stops when it has seen it.
  for (let input = await firstOf(surface, ask, task); input !== undefined && record.calls < MOST_CALLS;) {
    input = await ask(input);
    if (!isWhole(task) && missing(needed, record.text) === 0) break;
  }
  return { ...shown(record), 'lines missing': missing(needed, record.text) };
}

const isWhole = ({ from, last }) => from === undefined && last === undefined;

const shown = ({ calls, bytes }) => ({
  calls,
  bytes: bytes?.toLocaleString('en'),
  tokens: bytes && Math.ceil(bytes / 4).toLocaleString('en'),
});

/** Answers show the lines in order. */
function missing(needed, text) {
  let at = 0;
  return needed.filter((line) => {
    const found = text.indexOf(line, at);
    if (found !== -1) at = found + line.length;
    return found === -1;
  }).length;
}

async function firstOf(surface, ask, { path, from, to, last }) {
  if (from !== undefined) return surface.lines(path, from, to);
  if (last === undefined) return surface.all(path);
  if (surface.last) return surface.last(path, last);
  // Without windows from the end, the reader first asks for the number of lines.
  await ask(surface.lines(path, 1, 1));
  const total = linesOf(path).length;
  return surface.lines(path, total - last + 1, total);
}
