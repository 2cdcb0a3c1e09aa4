// How well maps of 8 and 32 KiB predict real changes: the share of changes of which every file is named, and of changed
// symbols that are named with their lines; compared with listings of the same size.
import { execFileSync, spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { createOriel } from '../dist/index.js';
import { filesBelow } from './lib/data.mjs';
import { hasCtags } from './lib/ctags.mjs';
import { checkOut, histories } from './lib/history.mjs';
import { quick } from './lib/quick.mjs';

/** In KiB; an answer of 32 KiB has no second page. */
const sizes = [8, 32];

/** A tree with more files counts as large. */
const LARGE = 600;

export async function rows() {
  const found = histories();
  if (found.length === 0) return [{ listing: 'no histories here; run it without --quick once' }];
  const sums = new Map();
  for (const { directory, kept, tasks } of found) {
    const oriel = createOriel({ cwd: directory, roots: [directory], cache: false });
    const wide = createOriel({ cwd: directory, cache: false, limits: { lines: 100_000, bytes: 4_000_000 } });
    for (const task of quick ? tasks.slice(0, 1) : tasks) {
      checkOut(directory, task.commit);
      const files = filesBelow(directory)
        .map((path) => relative(directory, path))
        .filter((path) => !path.startsWith('.git/'));
      const wanted = await changed(wide, task.changes);
      for (const [name, list] of Object.entries(listings)) {
        for (const kib of sizes) {
          const seen = await list({ oriel, wide, directory, files, bytes: kib << 10, task });
          for (const set of sets(kept, files.length)) count(sums, name, set, kib, seen, wanted);
        }
      }
    }
    await Promise.all([oriel.close(), wide.close()]);
  }
  return [...sums].map(([key, sum]) => row(key, sum));
}

const sets = (kept, files) => [
  kept ? 'kept apart' : 'tuned on',
  ...(kept && files > LARGE ? ['kept apart, over 600 files'] : []),
];

function count(sums, name, set, kib, seen, { paths, symbols }) {
  const key = `${name}\0${set}`;
  const sum = sums.get(key) ?? { tasks: 0, symbols: 0 };
  sums.set(key, sum);
  if (kib === sizes[0]) {
    sum.tasks += 1;
    sum.symbols += symbols.length;
  }
  sum.hasFailed ||= seen.hasFailed;
  const at = (sum[kib] ??= { all: 0, files: 0, symbols: 0 });
  const there = paths.filter((path) => seen.files.has(path)).length;
  if (there === paths.length) at.all += 1;
  at.files += there / paths.length;
  at.symbols += symbols.filter((symbol) => seen.symbols.has(symbol)).length;
}

function row(key, sum) {
  const [listing, set] = key.split('\0');
  const percent = (part, whole) =>
    sum.hasFailed ? 'failed' : whole === 0 ? undefined : `${Math.round((100 * part) / whole)} %`;
  const each = (what, of) => Object.fromEntries(sizes.map((kib) => [`${what}, ${kib} KiB`, of(sum[kib])]));
  return {
    listing,
    changes: `${sum.tasks} ${set}`,
    ...each('all its files', ({ all }) => percent(all, sum.tasks)),
    ...each('files', ({ files }) => percent(files, sum.tasks)),
    ...each('symbols', ({ symbols }) => percent(symbols, sum.symbols)),
  };
}

/** Each returns the named files, and symbols as `path from-to`. */
const listings = {
  'oriel :outline': ({ oriel, bytes }) => mapOf(oriel, `.:outline?bytes=${bytes}`),
  'oriel :outline?q= with the name of one file': async ({ oriel, bytes, task }) =>
    mapOf(oriel, `.:outline?bytes=${bytes}&q=${encodeURIComponent(wordsOf(task))}`),
  'a map without ranking': unranked,
  'alphabetical listing': ({ files, bytes }) => named(clipped(files, bytes)),
  'ls -R': ({ directory, bytes }) => named(listed(directory, bytes)),
  'ctags -R': ({ directory, bytes }) => tagged(directory, bytes),
};

/** The words that a person may know: the parts of the name of a changed file. */
function wordsOf({ changes }) {
  const names = changes[0].path.replace(/\.\w+$/, '').split('/');
  const name = /^(?:index|mod|main)$/.test(names.at(-1)) ? (names.at(-2) ?? '') : names.at(-1);
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

async function mapOf(oriel, path) {
  const { content } = await oriel.tool('read').run({ path });
  return parsed(content[0].text.split('\n'));
}

/**
 * Parses the lines of a map: `src/a.ts: Class 3-60, .name 12-40`, `src/*.ts: b c` and `src/: d.md`, also indented and
 * without their directory, below a line with it. An ambiguous path is in quotes, on a line of its own: `'my file.ts': Class 3-60`.
 */
function parsed(lines) {
  const seen = { files: new Set(), symbols: new Set() };
  let base = '';
  for (const line of lines) {
    if (/^[^\s[].*\/$/.test(line)) base = line;
    const quoted = /^'((?:[^']|'\\'')+)'(?:: (.*))?$/.exec(line);
    if (quoted) {
      add(quoted[1].replaceAll(`'\\''`, "'"), quoted[2]);
      continue;
    }
    const [, indent, head, rest] = /^( {2})?([^\s[][^:]*): (.*)$/.exec(line) ?? [];
    if (head === undefined) continue;
    const from = (indent ? base : '') + head.replace(/^\.\//, '');
    if (head.includes('*'))
      for (const name of rest.split(' ').flatMap(expanded)) seen.files.add(from.replace('*', name));
    else if (head.endsWith('/')) for (const name of rest.split(' ')) seen.files.add(from + name);
    else add(from, rest);
  }
  return seen;

  function add(file, symbols = '') {
    seen.files.add(file);
    for (const [, first, last = first] of symbols.matchAll(/\S+ (\d+)(?:-(\d+))?(?=, |$)/g))
      seen.symbols.add(`${file} ${first}-${last}`);
  }
}

/** `use{Camera{,Device},Frame}` → `useCamera`, `useCameraDevice`, `useFrame`. */
function expanded(name) {
  const start = name.indexOf('{');
  if (start === -1) return [name];
  const parts = [''];
  let [depth, at] = [1, start + 1];
  for (; depth > 0 && at < name.length; at += 1) {
    const one = name[at];
    depth += one === '{' ? 1 : one === '}' ? -1 : 0;
    if (one === ',' && depth === 1) parts.push('');
    else if (depth > 0) parts[parts.length - 1] += one;
  }
  const after = expanded(name.slice(at));
  return parts.flatMap(expanded).flatMap((one) => after.map((rest) => name.slice(0, start) + one + rest));
}

async function changed(oriel, changes) {
  const symbols = new Set();
  for (const { path, lines } of changes) {
    const known = await symbolsOf(oriel, path);
    for (const [from, to] of lines) {
      const around = known.filter((one) => one.from <= from && one.to >= to);
      const inner = around.toSorted((a, b) => a.to - a.from - (b.to - b.from))[0];
      if (inner) symbols.add(`${path} ${inner.from}-${inner.to}`);
    }
  }
  return { paths: changes.map(({ path }) => path), symbols: [...symbols] };
}

/** Symbols of several lines. */
async function symbolsOf(oriel, path) {
  const { content } = await oriel.tool('read').run({ path: `${path}:outline` });
  return [...content[0].text.matchAll(/^ *\[L(\d+)-(\d+)\] (.*)$/gm)].map(([, from, to, signature]) => ({
    from: Number(from),
    to: Number(to),
    signature,
  }));
}

/** Like a map, but in alphabetical order. */
async function unranked({ wide, files, bytes }) {
  const names = named(clipped(files, bytes / 2));
  const lines = [];
  let room = bytes / 2;
  for (const path of names.files) {
    const symbols = (await symbolsOf(wide, path)).map(({ from, to, signature }) => {
      const name = /[\w$]+(?=[^\w$]*\(|\s*[={:<]|$)/.exec(signature)?.[0] ?? signature.slice(0, 20);
      return `${name} ${from}-${to}`;
    });
    const line = `${path}: ${symbols.join(', ')}`;
    if (symbols.length === 0) continue;
    const part = line.slice(0, room);
    lines.push(part.slice(0, part.length === line.length ? undefined : part.lastIndexOf(', ')));
    room -= part.length;
    if (room <= 0) break;
  }
  return { files: names.files, symbols: parsed(lines).symbols };
}

function clipped(lines, bytes) {
  let room = bytes;
  const end = lines.findIndex((line) => (room -= Buffer.byteLength(line) + 1) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}

const named = (paths) => ({ files: new Set(paths), symbols: new Set() });

function listed(directory, bytes) {
  const text = execFileSync('ls', ['-R', '.'], { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 26 });
  let at = '';
  return clipped(text.split('\n'), bytes).flatMap((line) => {
    if (line.endsWith(':')) at = line.slice(2, -1);
    return line === '' || line.endsWith(':') ? [] : [at === '' ? line : `${at}/${line}`];
  });
}

/** `path: name from-to`, sorted by file. */
function tagged(directory, bytes) {
  if (!hasCtags()) return named([]);
  const options = ['-R', '--exclude=.git', '--output-format=json', '--fields=+ne', '--sort=no', '-f', '-'];
  const { status, stdout } = spawnSync('ctags', options, {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) return { ...named([]), hasFailed: true };
  const tags = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const byFile = new Map();
  for (const tag of tags) byFile.set(tag.path, [...(byFile.get(tag.path) ?? []), tag]);
  const lines = [...byFile]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([path, list]) =>
        `${path}: ${list.map(({ name, line, end = line }) => `${name} ${line}-${end}`).join(', ')}`,
    );
  const text = lines.join('\n').slice(0, bytes);
  return parsed(text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf(', '))).split('\n'));
}
