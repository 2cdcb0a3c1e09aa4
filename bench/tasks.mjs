// The cost of reading the symbols that a real change touched, for several ways of reading: calls, tokens, unnecessary text,
// and useless answers. A scripted reader uses only what the answers say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes } from './lib/changes.mjs';
import { dialectReaders } from './lib/dialect-readers.mjs';

/** Tokens of a call without its answer, and bytes of a token. */
const CALL_TOKENS = 100;
const TOKEN_BYTES = 4;

/** Calls after which a reader gives up. */
const MOST_CALLS = 60;

export async function rows() {
  return [...(await rowsOf('code')), ...(await rowsOf('prose'))];
}

async function rowsOf(kind) {
  const { createOriel } = await import('../dist/index.js');
  const tasks = [];
  for (const task of changes(kind)) tasks.push({ ...task, need: await needOf(createOriel, task) });
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
    'grep for its first line, then windows of 60 lines': windows,
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
  for (const [reader, surface] of Object.entries(dialectReaders)) {
    table.push(await total(reader, tasks, (task) => readThrough(createOriel, surface, task)));
  }
  table.push(await total('all of the text in one answer, as server-filesystem has it', tasks, wholeText));
  return table.map((row) => ({ of: kind, ...row }));
}

function scored(createOriel, tasks, act, reader, mapBytes) {
  return total(reader, tasks, async (task) => {
    const oriel = createOriel({ cwd: task.directory, roots: [task.directory], read: { mapBytes } });
    const { record, read } = reading(oriel);
    await act(read, task);
    await oriel.close();
    return record;
  });
}

/** `perform(task)` resolves to what was read: calls, bytes, and the required lines that are missing. */
async function total(reader, tasks, perform) {
  const sum = { calls: 0, bytes: 0, waste: 0, dead: 0 };
  for (const task of tasks) {
    const read = await perform(task);
    sum.calls += read.calls;
    sum.bytes += read.bytes;
    sum.waste += read.waste(task.need);
    sum.dead += read.missing(task.need).length > 0 ? 1 : 0;
  }
  return {
    reader,
    tasks: tasks.length,
    calls: sum.calls,
    tokens: Math.round(sum.bytes / TOKEN_BYTES + CALL_TOKENS * sum.calls).toLocaleString('en'),
    'not needed': `${Math.round((100 * sum.waste) / sum.bytes)} %`,
    'dead ends': sum.dead,
  };
}

/** Finds a place by the text of its first line, then reads windows of 60 lines until it has been shown. */
async function windows(read, { directory, path, need }) {
  const lines = readFileSync(join(directory, path), 'utf8').split('\n');
  for (const { from, to } of need) {
    await read.grep(path, (lines[from - 1] ?? '').trim());
    for (let at = from; at <= to; at += 60) await read(`${path}:${at}..${at + 59}`);
  }
}

/** Reads through another dialect, by following its answers. */
async function readThrough(createOriel, { dialect, tool, asks, lines, next, front }, task) {
  const oriel = createOriel({ cwd: task.directory, roots: [task.directory], dialect });
  const record = recorder(front);
  for (const first of asks(task)) {
    for (let input = first; input !== undefined && record.calls < MOST_CALLS;) {
      const { content } = await oriel.tool(tool).run(input);
      record.take(content[0].text, lines(content[0].text, input));
      input = next(content[0].text, input);
    }
  }
  await oriel.close();
  return record;
}

function wholeText({ directory, path }) {
  const text = readFileSync(join(directory, path), 'utf8');
  const record = recorder();
  record.take(
    text,
    text.split('\n').map((line, i) => [i + 1, line]),
  );
  return record;
}

/** A tool that follows the calls in its answers, and records the lines that were shown verbatim. */
function reading(oriel) {
  const record = recorder((no) => `${no}|`);
  const read = async (path) => {
    for (let next = path; next !== undefined && record.calls < MOST_CALLS;) {
      const answer = await oriel.tool('read').run({ path: next });
      const text = answer.content.map((block) => block.text ?? '').join('');
      record.take(
        text,
        [...text.matchAll(/^(\d+)\|(.*)$/gm)].map(([, no, line]) => [Number(no), line]),
      );
      next = answer.details.truncation?.next;
    }
  };
  const grep = async (path, pattern) => {
    const { content } = await oriel.tool('grep').run({ path, pattern, literal: true });
    record.take(content[0].text, []);
  };
  return { record, read: Object.assign(read, { grep, missing: record.missing }) };
}

/** Records calls, bytes, and the lines that were shown verbatim. `front`: the prefix of line `no`. */
function recorder(front = () => '') {
  const seen = new Map();
  const record = {
    calls: 0,
    bytes: 0,
    take(text, lines) {
      record.calls += 1;
      record.bytes += Buffer.byteLength(text);
      for (const [no, line] of lines) seen.set(no, line);
    },
    missing: (need) =>
      need.filter(({ from, to, blank }) => {
        for (let no = from; no <= to; no += 1) if (!seen.has(no) && !blank.has(no)) return true;
        return false;
      }),
    waste(need) {
      const needed = (no) => need.some(({ from, to }) => no >= from && no <= to);
      const used = [...seen].filter(([no]) => needed(no));
      return (
        record.bytes - used.reduce((sum, [no, line]) => sum + Buffer.byteLength(`${front(no)}${line}\n`), 0)
      );
    },
  };
  return record;
}

const call = (path, need) => `${path}:${need.map(({ from, to }) => `${from}..${to}`).join(',')}`;

/** Lines without information of their own. */
const trivial = /^\s*(?:[)\]}]*[;,]?|\*\/)\s*$/;

/** The innermost symbols around the changed lines; the lines themselves if there are none. */
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
