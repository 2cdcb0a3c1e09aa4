// Ten typical requests of agents over MCP: time, size of the answer, and correctness.
import { caseFiles } from './lib/cases.mjs';
import { folder } from './lib/data.mjs';
import { servers, start } from './lib/mcp.mjs';
import { sized } from './lib/quick.mjs';
import { ROWS } from './sqlite.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

/** Maximum bytes of an acceptable answer. */
const BOUND = 100_000;
const RUNS = sized(9, 1);

/** A line in the large log, and the last directory of the tree. */
const [SIZE, LINE, FILES, LAST] = sized(
  ['1 GB', 10_000_000, '50,000', 'p49'],
  ['10 MB', 100_000, '2,000', 'p1'],
);

export async function rows() {
  const files = caseFiles();
  const table = [];
  for (const { what, ask, right } of cases(files)) {
    const row = { what };
    const times = {};
    for (const [name, command] of Object.entries(servers)) {
      const call = ask[name];
      const found = command(folder);
      const measured = found && call ? await measure(found, call, right) : {};
      if (measured.ms !== undefined) times[name] = measured.ms;
      row[name] = !found ? 'not installed' : call ? measured.said : 'cannot';
    }
    row['of server-filesystem'] = ratio(times.oriel, times['server-filesystem']);
    table.push(row);
  }
  return table;
}

/** Each case has a process of its own, so that memory is not carried over. */
async function measure(command, call, right) {
  const server = await start(command, folder);
  try {
    const times = [];
    let last;
    for (let i = 0; i < RUNS; i += 1) {
      const began = performance.now();
      last = await server.ask('tools/call', call);
      times.push(performance.now() - began);
      if (last.timedOut || last.error || last.result?.isError) break;
    }
    const memory = mb(server.peak());
    if (last.timedOut) return { said: `no answer in 60 s, ${memory}` };
    const said = last.error?.message ?? last.result.content[0]?.text ?? '';
    if (last.error || last.result.isError)
      return { said: `error: ${said.slice(0, 40).replaceAll('\n', ' ')}, ${memory}` };
    const verdict = right(last.result.content, said) ? '' : last.bytes > BOUND ? 'unbounded, ' : 'wrong, ';
    const time = median(times);
    return { ms: time, said: `${verdict}${ms(time)}, ${size(last.bytes)}, ${memory}` };
  } finally {
    await server.stop();
  }
}

const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

const text = (path, more = {}) => ({ name: 'read_text_file', arguments: { path, ...more } });
const read = (path) => ({ name: 'read', arguments: { path } });
const commander = (path, more = {}) => ({ name: 'read_file', arguments: { path, ...more } });

const plain = (path) => ({
  oriel: read(path),
  'server-filesystem': text(path),
  'desktop-commander': commander(path),
});

/** Whether the answer is bounded and contains these words. */
const holds =
  (...words) =>
  (content, said) =>
    JSON.stringify(content).length < BOUND && words.every((word) => said.includes(word));

function cases({ log, huge, line, utf16, tree, database, zip, notebook, image }) {
  return [
    {
      what: `${SIZE} file, as it is`,
      ask: plain(log),
      right: holds('request=1 '),
    },
    {
      what: `line ${LINE.toLocaleString('en')} of it`,
      ask: {
        oriel: read(`${log}:${LINE}..${LINE + 9}`),
        'desktop-commander': commander(log, { offset: LINE - 1, length: 10 }),
      },
      right: holds(`request=${LINE} `),
    },
    {
      what: 'last 100 lines of it',
      ask: {
        oriel: read(`${log}:-100`),
        'server-filesystem': text(log, { tail: 100 }),
        'desktop-commander': commander(log, { offset: -100 }),
      },
      right: (_content, said) => said.match(/request=/g)?.length === 100,
    },
    {
      what: 'first 500 lines of it',
      ask: {
        oriel: read(`${log}:1..500`),
        'server-filesystem': text(log, { head: 500 }),
        'desktop-commander': commander(log, { offset: 0, length: 500 }),
      },
      right: holds('request=500 '),
    },
    {
      what: 'first 500 lines of 10 GB',
      ask: {
        oriel: read(`${huge}:1..500`),
        'server-filesystem': text(huge, { head: 500 }),
        'desktop-commander': commander(huge, { offset: 0, length: 500 }),
      },
      right: holds('a line of some length'),
    },
    {
      what: 'one line of 10 MB',
      ask: plain(line),
      right: holds('xxxx'),
    },
    {
      what: 'UTF-16 with a mark',
      ask: plain(utf16),
      right: holds('grün', 'blau'),
    },
    {
      what: `tree of ${FILES} files`,
      ask: {
        oriel: read(tree),
        'server-filesystem': { name: 'directory_tree', arguments: { path: tree } },
        'desktop-commander': { name: 'list_directory', arguments: { path: tree, depth: 2 } },
      },
      right: holds(LAST),
    },
    ...(database
      ? [
          {
            what: `SQLite file of ${ROWS.toLocaleString('en')} rows`,
            ask: plain(database),
            right: holds('rows'),
          },
        ]
      : []),
    {
      what: 'zip of 5,000 files',
      ask: plain(zip),
      right: holds('src/'),
    },
    {
      what: 'notebook of 2.7 MB',
      ask: plain(notebook),
      right: holds('print('),
    },
    {
      what: 'image of noise',
      ask: {
        oriel: read(image),
        'server-filesystem': { name: 'read_media_file', arguments: { path: image } },
        'desktop-commander': commander(image),
      },
      right: (content) => content.some(({ type, data = '' }) => type === 'image' && data.length < 5_000_000),
    },
  ];
}
