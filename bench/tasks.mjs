// What a reader spends to see the symbols that a real change touched, by how it reads: calls, tokens, what it got and did
// not need, and answers that led nowhere. A scripted reader uses nothing but what the answers say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes } from './lib/changes.mjs';

/** Tokens that a call costs beside its bytes, and bytes of a token. */
const CALL_TOKENS = 100;
const TOKEN_BYTES = 4;

/** Calls after which a reader gives up. */
const MOST_CALLS = 60;

export async function rows() {
  const { createOriel } = await import('../dist/index.js');
  const tasks = [];
  for (const task of changes()) tasks.push({ ...task, need: await needOf(createOriel, task) });
  const readers = {
    'knows the exact ranges (the limit)': (read, { path, need }) => read(call(path, need)),
    'bare path, then one call': async (read, { path, need }) => {
      await read(path);
      const missing = read.missing(need);
      if (missing.length > 0) await read(call(path, missing));
    },
    ':outline, then one call': async (read, { path, need }) => {
      await read(`${path}:outline`);
      await read(call(path, need));
    },
    'all of the text': (read, { path }) => read(`${path}:1..`),
  };
  const table = [];
  for (const mapBytes of [4096, 8192, 16_384]) {
    for (const [reader, act] of Object.entries(readers)) {
      const usesMap = reader.startsWith('bare');
      if (mapBytes !== 8192 && !usesMap) continue;
      table.push(
        await scored(
          createOriel,
          tasks,
          act,
          usesMap ? `${reader} (map of ${mapBytes} bytes)` : reader,
          mapBytes,
        ),
      );
    }
  }
  return table;
}

async function scored(createOriel, tasks, act, reader, mapBytes) {
  const total = { calls: 0, bytes: 0, waste: 0, dead: 0 };
  for (const task of tasks) {
    const read = reading(createOriel({ cwd: task.directory, roots: [task.directory], read: { mapBytes } }));
    await act(read, task);
    total.calls += read.calls;
    total.bytes += read.bytes;
    total.waste += read.waste(task.need);
    total.dead += read.missing(task.need).length > 0 ? 1 : 0;
  }
  return {
    reader,
    tasks: tasks.length,
    calls: total.calls,
    tokens: `${Math.round((total.bytes / TOKEN_BYTES + CALL_TOKENS * total.calls) / 1000)}k`,
    'not needed': `${Math.round((100 * total.waste) / total.bytes)} %`,
    'dead ends': total.dead,
  };
}

/** A tool that follows the calls which its answers name, and remembers the lines that were shown as they are. */
function reading(oriel) {
  const seen = new Map();
  const read = async (path) => {
    for (let next = path; next !== undefined && read.calls < MOST_CALLS;) {
      const answer = await oriel.tool('read').run({ path: next });
      const text = answer.content.map((block) => block.text ?? '').join('');
      read.calls += 1;
      read.bytes += Buffer.byteLength(text);
      for (const [, no, line] of text.matchAll(/^(\d+)\|(.*)$/gm)) seen.set(Number(no), line);
      next = answer.details.truncation?.next;
    }
  };
  return Object.assign(read, {
    calls: 0,
    bytes: 0,
    missing: (need) =>
      need.filter(({ from, to, blank }) => {
        for (let no = from; no <= to; no += 1) if (!seen.has(no) && !blank.has(no)) return true;
        return false;
      }),
    waste: (need) => {
      const needed = (no) => need.some(({ from, to }) => no >= from && no <= to);
      const used = [...seen].filter(([no]) => needed(no));
      return read.bytes - used.reduce((sum, [no, line]) => sum + Buffer.byteLength(`${no}|${line}\n`), 0);
    },
  });
}

const call = (path, need) => `${path}:${need.map(({ from, to }) => `${from}..${to}`).join(',')}`;

/** Lines that say nothing when they stand alone. */
const trivial = /^\s*(?:[)\]}]*[;,]?|\*\/)\s*$/;

/** The innermost symbols around the changed lines; the lines themselves where there are none. */
async function needOf(createOriel, { directory, path, lines }) {
  const oriel = createOriel({
    cwd: directory,
    roots: [directory],
    limits: { lines: 100_000, bytes: 10_000_000 },
  });
  const answer = await oriel.tool('read').run({ path: `${path}:outline` });
  const symbols = [...answer.content[0].text.matchAll(/^ *\[L(\d+)(?:-(\d+))?\]/gm)].map(
    ([, from, to = from]) => ({
      from: Number(from),
      to: Number(to),
    }),
  );
  const text = readFileSync(join(directory, path), 'utf8').split('\n');
  const blank = new Set(text.flatMap((line, row) => (trivial.test(line) ? [row + 1] : [])));
  const needed = lines.map(([from, to]) => {
    const around = symbols.filter(
      (symbol) => symbol.from <= from && symbol.to >= to && symbol.to - symbol.from < 200,
    );
    const inner = around.toSorted((a, b) => a.to - a.from - (b.to - b.from))[0];
    return inner ?? { from: Math.max(1, from - 2), to: Math.min(text.length, to + 2) };
  });
  const merged = [];
  for (const { from, to } of needed.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to, blank });
  }
  return merged;
}
