// npm run bench [-- GROUP… --quick --soak 30m | --help | --list | --clean]: makes its data below .bench/, runs the groups and
// prints a table for each. Figures are compared with peers that are measured in the same run; times are medians.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clean, help, keepTime } from './lib/about.mjs';
import { folder } from './lib/data.mjs';
import { printTable } from './lib/table.mjs';

/** The modules of each group; each exports `rows()` for a table. */
const groups = {
  read: { about: 'pages, tails and byte windows of 100 MB, 1 GB and 10 GB', modules: ['read', 'pages'] },
  telemetry: { about: 'what recording costs a call', modules: ['telemetry'] },
  outline: { about: 'symbols and their ranges beside Universal Ctags', modules: ['outline', 'outline-time'] },
  tasks: { about: 'tasks of an agent: calls and bytes until the answer', modules: ['tasks', 'reading'] },
  sessions: {
    about: 'whole sessions of an agent: their price with oriel and without',
    modules: ['sessions'],
  },
  map: {
    about: 'the code below a directory: building, looking up, right answers',
    modules: ['map-build', 'map-lookups', 'map-truth', 'map-yield'],
  },
  tools: { about: 'grep, find, bash', modules: ['search', 'bash'] },
  containers: {
    about: 'archives, databases, images, notebooks',
    modules: ['archive', 'sqlite', 'image', 'notebook'],
  },
  documents: { about: 'PDF and Office documents', modules: ['document'] },
  web: { about: 'pages of the web, from recordings', modules: ['web'] },
  scale: {
    about: 'objects, their line indexes, replicas, workspaces elsewhere',
    modules: ['scale-objects', 'scale-index', 'scale-replicas', 'scale-fleet'],
  },
  faces: { about: 'MCP and HTTP beside other servers', modules: ['mcp', 'mcp-cases', 'http'] },
  load: { about: 'many clients of one server, and its memory', modules: ['load', 'load-held', 'soak'] },
  check: { about: 'hostile cases against MCP servers', modules: ['check'] },
};

const { values, positionals: named } = parsed();

/** Reports invalid options in one line. */
function parsed() {
  const flag = { type: 'boolean' };
  try {
    return parseArgs({
      options: {
        quick: flag,
        soak: { type: 'string' },
        help: { ...flag, short: 'h' },
        list: flag,
        clean: flag,
        // Set by the script in package.json; there is no build for --help, --list and --clean.
        build: flag,
      },
      allowPositionals: true,
    });
  } catch (error) {
    console.error(`${error.message.split('. To')[0]}. Use npm run bench -- --help.`);
    process.exit(2);
  }
}

if (values.help || values.list || values.clean) {
  console.log(values.clean ? clean() : values.list ? Object.keys(groups).join('\n') : help(groups));
  process.exit(0);
}
if (values.soak !== undefined && !/^\d+[smh]$/.test(values.soak)) {
  console.error(`${values.soak} is not a time. Use --soak 30m.`);
  process.exit(2);
}
const unknown = named.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Use one of ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}
if (values.build) {
  const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exit(2);
}
if (!existsSync('dist')) {
  console.error('Nothing is built. Use npm run build first.');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
// In the environment, for the processes of the groups.
if (values.quick) process.env.ORIEL_BENCH = 'quick';
if (values.soak) process.env.ORIEL_SOAK = values.soak;
const wanted = named.length > 0 ? named : Object.keys(groups);
console.error(`Groups: ${wanted.join(', ')}. Data goes below ${folder}; npm run bench -- --help says more.`);
for (const name of wanted) {
  const { modules } = groups[name];
  const began = performance.now();
  for (const module of modules) {
    const { rows } = await import(`./${module}.mjs`);
    console.log(`\n## ${name}${modules.length > 1 ? `: ${module}` : ''}\n`);
    printTable(await rows());
  }
  const took = performance.now() - began;
  console.error(`${name}: ${Math.round(took / 1000)} s.`);
  keepTime(name, values.quick, took);
}
