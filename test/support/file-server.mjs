// A small MCP server that reads files, correct or with one fault (first argument) that `oriel check` must detect.
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [fault = 'none'] = process.argv.slice(2);
const root = realpathSync('.');
const MOST = 40_000;

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const isInside = (path) => path === root || !relative(root, path).startsWith('..');
const shown = (path) => JSON.stringify(path).slice(0, 200);

/** The real path. Throws a message for a path that must not be read. */
function placeOf(path, isRight) {
  if (typeof path !== 'string') throw new Error('The path is not a text.');
  if (fault === 'crashes' && path.includes('\0')) process.exit(1);
  const full = resolve(root, path);
  if (fault === 'leaks by names') return full;
  if (isAbsolute(path) || !isInside(full)) throw new Error(`${shown(path)} is outside.`);
  if (path.includes('\0') || path.length > 4_000) throw new Error(`${shown(path)} is no path.`);
  if (fault === 'leaks by links') return full;
  let real;
  try {
    real = realpathSync(full);
  } catch {
    if (fault === 'shows stacks') throw new Error(new Error('not found').stack);
    throw new Error(`${shown(path)} is not there.`);
  }
  if (!isInside(real)) throw new Error(`${shown(path)} is outside.`);
  if (fault !== 'hangs on FIFOs' && !isRight(lstatSync(real))) throw new Error(`${shown(path)} is none.`);
  return real;
}

function read({ path, offset = 1 }) {
  const full = placeOf(path, (stat) => stat.isFile());
  if (statSync(full).size > 2 ** 30) throw new Error('The file is too large.');
  const text = readFileSync(full, 'utf8');
  if (fault === 'writes') writeFileSync(join(root, '.journal'), `${Math.random()}`);
  if (fault === 'floods') return text;
  if (fault === 'cuts lines') return `${text.slice(0, MOST)}\n[cut; no more]`;
  if (fault === 'counts a phantom line')
    return `${text.slice(0, MOST)}\n[of ${text.split('\n').length} lines]`;
  const lines = text.split('\n').slice(offset - 1);
  const page = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += line.length + 1;
    if (page.length > 0 && bytes > MOST) break;
    page.push(line.slice(0, MOST));
  }
  const next = offset + page.length;
  const label = fault === 'lies in its continuation' && offset > 1 ? next + 1 : next;
  return page.length === lines.length
    ? page.join('\n')
    : `${page.join('\n')}\n[Use offset=${label} to continue]`;
}

function list({ path = '.' }) {
  if (fault === 'lists nothing') return 'Done.';
  const names = readdirSync(placeOf(path, (stat) => stat.isDirectory()));
  const lines = names.map((name) => (fault === 'shows controls' ? name : JSON.stringify(name)));
  return lines.slice(0, 200).join('\n');
}

/** Regular files below a directory; no link is followed. */
const filesBelow = (directory) =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** `search_files` looks at names only, `search_content` at lines; neither shows more than 200. */
const searches = {
  search_files: ({ path, pattern }) => filesBelow(inside(path)).filter((file) => file.includes(pattern)),
  search_content: ({ path, pattern }) =>
    filesBelow(inside(path)).flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes(pattern))
        .map((line) => `${relative(root, file)}: ${line.slice(0, 100)}`),
    ),
};
const inside = (path) => placeOf(path, (stat) => stat.isDirectory());
const search = (name, input) => searches[name](input).slice(0, 200).join('\n') || 'No matches found';

const number = { type: 'integer' };
const text = { type: 'string' };
const tools = [
  {
    name: 'read_file',
    inputSchema: { type: 'object', properties: { path: text, offset: number }, required: ['path'] },
  },
  { name: 'list_directory', inputSchema: { type: 'object', properties: { path: text } } },
  ...(fault.startsWith('searches') ? Object.keys(searches) : [])
    .filter((name) => fault !== 'searches names' || name === 'search_files')
    .map((name) => ({
      name,
      inputSchema: {
        type: 'object',
        properties: { path: text, pattern: text },
        required: ['path', 'pattern'],
      },
    })),
];

function answer({ name, arguments: input }) {
  try {
    const said = name === 'read_file' ? read(input) : searches[name] ? search(name, input) : list(input);
    return { content: [{ type: 'text', text: said }] };
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const { protocolVersion } = params ?? {};
  const results = {
    initialize: () => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'files', version: '1' },
    }),
    'tools/list': () => ({ tools }),
    'tools/call': () => answer(params),
  };
  if (!results[method]) say({ id, error: { code: -32601, message: 'There is no such method.' } });
  else say({ id, result: results[method]() });
});
