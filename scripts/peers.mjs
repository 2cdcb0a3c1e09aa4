// npm run peers [-- NAME…]: tests each adapter with the oldest and the newest version of its library. The package is packed
// and installed as by a user. A program is compiled in strict mode with all declarations checked, and runs a loop of two
// steps against a mock model. Everything is in a temporary directory.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, root, run } from './tools.mjs';

/** `node`: the oldest major version for the libraries. `section`: the part of docs/adapters.md whose code blocks are also compiled. */
const CASES = [
  { name: 'ai-sdk', with: ['ai@5.0.0'] },
  { name: 'ai-sdk', with: ['ai@6'] },
  { name: 'ai-sdk', with: ['ai@7'], node: 22 },
  { name: 'openai', with: ['openai@5.0.1'] },
  { name: 'openai', with: ['openai@latest'], node: 22 },
  { name: 'anthropic', with: ['@anthropic-ai/sdk@0.70.0'] },
  { name: 'anthropic', with: ['@anthropic-ai/sdk@latest'] },
  { name: 'langchain', with: ['@langchain/core@0.3.80'] },
  { name: 'langchain', with: ['@langchain/core@latest'], section: 'LangChain' },
  { name: 'mcp-v1', with: ['@modelcontextprotocol/sdk@1.23.0'] },
  { name: 'mcp-v1', with: ['@modelcontextprotocol/sdk@1'] },
  // Without its optional dependency, a program of 360 MB.
  {
    name: 'claude-agent',
    with: ['@anthropic-ai/claude-agent-sdk@0.2.1', '@modelcontextprotocol/sdk@1'],
    flags: ['--omit=optional'],
  },
  {
    name: 'claude-agent',
    with: ['@anthropic-ai/claude-agent-sdk@latest', '@modelcontextprotocol/sdk@1'],
    flags: ['--omit=optional'],
    section: 'Claude Agent SDK',
  },
  { name: 'openai-agents', with: ['@openai/agents@0.8.0'], node: 22 },
  {
    name: 'openai-agents',
    with: ['@openai/agents@latest'],
    node: 22,
    section: 'OpenAI Agents SDK',
  },
  { name: 'mastra', with: ['@mastra/core@1.11.0'], node: 22 },
  { name: 'mastra', with: ['@mastra/core@latest'], node: 22, section: 'Mastra' },
];

const wanted = process.argv.slice(2);
const major = Number(process.versions.node.split('.')[0]);
const work = await mkdtemp(join(tmpdir(), 'oriel-peers-'));
let failures = 0;
try {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { cwd: root });
  const tarball = join(
    work,
    (await readdir(work)).find((name) => name.endsWith('.tgz')),
  );
  for (const [i, one] of CASES.entries()) {
    if (wanted.length > 0 && !wanted.includes(one.name)) continue;
    const title = `${one.name} beside ${one.with.join(', ')}`;
    if (major < (one.node ?? 0)) {
      console.log(`skip ${title}: it needs Node ${one.node}`);
      continue;
    }
    const home = join(work, String(i));
    try {
      await judge(home, tarball, one);
      console.log(`ok   ${title}`);
    } catch (error) {
      failures += 1;
      console.log(`FAIL ${title}\n${`${error.stdout ?? ''}${error.stderr ?? ''}` || error.stack}`);
    }
    await rm(home, { recursive: true, force: true });
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

async function judge(home, tarball, { name, with: peers, flags = [], section }) {
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
  await install(home, '--ignore-scripts', '--silent', ...flags, tarball, ...peers, '@types/node@22');
  for (const file of [`${name}.ts`, 'world.ts'])
    await cp(join(root, 'scripts/peers', file), join(home, file));
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
    module: 'nodenext',
    // No global types: the package must reference those that it needs.
    types: [],
    strict: true,
    skipLibCheck: false,
    outDir: 'out',
  };
  const files = [`${name}.ts`, ...(section === undefined ? [] : ['page.ts'])];
  if (section !== undefined) await writeFile(join(home, 'page.ts'), await programOf(section));
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await compile(home);
  const { stderr } = await run(process.execPath, [join(home, 'out', `${name}.js`)], {
    cwd: home,
    timeout: 60_000,
  });
  if (/deprecat/i.test(stderr)) throw new Error(stderr);
}

/** The TypeScript code blocks of a section. */
async function programOf(section) {
  const page = await readFile(join(root, 'docs/adapters.md'), 'utf8');
  const text = page.split(`\n## ${section}\n`)[1].split('\n## ')[0];
  const blocks = Array.from(text.matchAll(/^```ts (?:types|peers)\n([\s\S]*?)^```$/gm), ([, code]) => code);
  return blocks.join('\n');
}

/** All declarations are checked; errors in those of other packages are ignored. */
async function compile(home) {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await run(tsc, ['-p', '.'], { cwd: home }).catch((error) => error);
  const ours = stdout
    .split('\n')
    .filter((line) => /^(?!node_modules\/(?!oriel\/))\S+\(\d+,\d+\): error/.test(line));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}
