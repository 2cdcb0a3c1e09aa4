// npm run conformance: runs external conformance tests, with the Node that they need. The official suite of the Model
// Context Protocol in both revisions, against fixtures on our own layer and against `oriel serve`; the Inspector over stdio;
// the pi coding agent with our extension. Everything is installed into a temporary directory.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, install, root, run, withServer } from './tools.mjs';

const PACKAGES = [
  'node@24',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
  '@earendil-works/pi-coding-agent@0.87.1',
];

const REVISIONS = ['2025-11-25', '2026-07-28'];

/** Scenarios without fixtures, for `oriel serve` itself. */
const WITHOUT_FIXTURES = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'completion-complete',
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'http-header-validation',
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'oriel-conformance-'));
const bin = join(folder, 'node_modules/.bin');
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
let failures = 0;

function report(title, passed, said = '') {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${title}`);
  if (passed) return;
  failures += 1;
  console.log(said.replaceAll(/^/gm, '     '));
}

async function attempt(title, work) {
  try {
    const said = await work();
    report(title, true, said);
  } catch (error) {
    report(title, false, `${error.stdout ?? ''}${error.stderr ?? ''}` || String(error));
  }
}

const suite = (url, ...args) =>
  run(join(bin, 'conformance'), ['server', '--url', url, ...args], { cwd: folder, env, maxBuffer: 1 << 26 });

try {
  await install(folder, '--no-package-lock', ...PACKAGES);

  const here = { cwd: root, env };
  await withServer('node', [join(root, 'test/conformance/server.ts')], here, /(http:\S+)/, async (url) => {
    for (const revision of REVISIONS) {
      await attempt(`conformance ${revision}`, () => suite(url, '--requirements', revision));
    }
  });

  const serve = [cli, 'serve', '--listen', '127.0.0.1:0', '--cwd', folder];
  await withServer('node', serve, here, /"address":"([^"]+)"/, async (url) => {
    for (const revision of REVISIONS) {
      for (const scenario of WITHOUT_FIXTURES[revision]) {
        await attempt(`oriel serve, ${revision}: ${scenario}`, () =>
          suite(`${url}/mcp`, '--scenario', scenario, '--spec-version', revision),
        );
      }
    }
  });

  const inspect = (...args) =>
    run(join(bin, 'mcp-inspector'), ['--cli', 'node', cli, 'mcp', '--cwd', root, ...args], {
      cwd: folder,
      env,
    });
  await attempt('Inspector over stdio: tools/list', async () => {
    const { tools } = JSON.parse((await inspect('--method', 'tools/list')).stdout);
    if (!tools.some(({ name }) => name === 'read')) throw new Error('there is no read');
  });
  await attempt('Inspector over stdio: tools/call', async () => {
    const { stdout } = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'read',
      '--tool-arg',
      'path=package.json:1..2',
    );
    if (!JSON.parse(stdout).content[0].text.includes('"name": "oriel"')) throw new Error(stdout);
  });

  await attempt('pi loads the extension and calls its tools', async () => {
    const extension = join(folder, 'oriel.ts');
    await writeFile(
      extension,
      `import { orielExtension } from ${JSON.stringify(join(root, 'dist/faces/adapters/pi.js'))};\nexport default orielExtension();\n`,
    );
    const check = join(folder, 'pi.mjs');
    await writeFile(
      check,
      `import { discoverAndLoadExtensions } from '@earendil-works/pi-coding-agent';
const { errors, extensions } = await discoverAndLoadExtensions([${JSON.stringify(extension)}], ${JSON.stringify(root)}, ${JSON.stringify(join(folder, 'agent'))});
if (errors.length > 0) throw new Error(JSON.stringify(errors));
const read = extensions[0].tools.get('read').definition;
const { content } = await read.execute('1', { path: 'package.json:1..2' }, undefined, undefined, { cwd: '.' });
if (!content[0].text.includes('"name": "oriel"')) throw new Error(JSON.stringify(content));
process.exit(0);
`,
    );
    await run('node', [check], { cwd: root, env });
  });

  await attempt('pi’s types take the extension', async () => {
    const check = join(folder, 'pi.ts');
    await writeFile(
      check,
      `import type { ExtensionFactory, ToolDefinition } from '@earendil-works/pi-coding-agent';
import { orielExtension, piTool } from ${JSON.stringify(join(root, 'dist/faces/adapters/pi.js'))};
import { createOriel } from ${JSON.stringify(join(root, 'dist/index.js'))};
export const factory: ExtensionFactory = orielExtension();
export const tools: ToolDefinition[] = createOriel().tools.map(piTool);
`,
    );
    const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(
      ' ',
    );
    const types = ['--typeRoots', join(root, 'node_modules/@types')];
    await run(join(root, 'node_modules/.bin/tsc'), [...flags, ...types, check], { cwd: folder, env });
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
console.log(failures === 0 ? 'all conform' : `${failures} do not conform`);
