/**
 * The documentation is held to the code: snippets run, links lead somewhere, tables agree.
 *
 * @module-tag check
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultSettings } from '../src/assemble.ts';
import { baseLimits, limitNames } from '../src/text/limits.ts';
import { installHosts } from '../src/faces/install/host-table.ts';
import { nativeEntries } from '../src/faces/install/native-table.ts';
import { queues } from '../src/queues/queue-table.ts';
import { parseBehind } from '../src/selector/selection.ts';
import { type Block, blocks, type DocsWorld, docsWorld, examplesOf, pages, pattern } from './support/docs.ts';
import { has } from './support/has.ts';
import { server } from './support/server.ts';
import { run } from './support/warm-cli.ts';
import { workspace } from './support/workspace.ts';
import { zip } from './support/zip.ts';

const read = (page: string): string => readFileSync(page, 'utf8');
const inLanguage = (language: string): readonly Block[] =>
  blocks.filter((block) => block.language === language);

const folder = 'test/.snippets';
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is done with a block of each language. Prose and templates, which nothing can run, are `text`. */
const languages = ['console', 'json', 'sh', 'text', 'toml', 'ts', 'ts peers', 'ts types'];

test('no page has marks of an unfinished merge', () => {
  const marks = /^\W*(?:<{7} |(?:> ?){7}|\\?={7}$)/m;
  for (const page of pages) expect(marks.exec(read(page))?.[0], page).toBeUndefined();
});

test('every page of the docs opens with an example', () => {
  const guides = pages.filter((page) => page.startsWith('docs/'));
  expect(guides.filter((page) => !/^# .+\n\n```(?!text)/.test(read(page)))).toEqual([]);
});

test('every block is in a language that is tested', () => {
  expect(blocks.filter(({ language }) => !languages.includes(language)).map(({ name }) => name)).toEqual([]);
});

test('no block of text is one that could be tested', () => {
  const commands = /^(?:\$ |(?:oriel|npm|npx|node|curl|openssl|claude|import|export|const) )/m;
  expect(
    inLanguage('text')
      .filter(({ text }) => commands.test(text))
      .map(({ name }) => name),
  ).toEqual([]);
});

test('npm run peers compiles the programs of uninstalled libraries', () => {
  const peers = read('scripts/peers.mjs');
  const sections = inLanguage('ts peers').map(({ page, text }) => {
    expect(page).toBe('docs/adapters.md');
    return /.*\n## ([^\n]*)\n/s.exec(read(page).split(text)[0] ?? '')?.[1];
  });
  expect(sections.length).toBeGreaterThan(2);
  expect(sections.filter((section) => !peers.includes(`section: '${section}'`))).toEqual([]);
});

/** Where pages say that a server listens. */
const SHOWN_URL = 'http://127.0.0.1:7345';

// Some commands are processes, one whose parser was too late several.
test('every call in the skill of the plugin works', async () => {
  const world = await docsWorld();
  try {
    const put = (name: string, text: string | Uint8Array): void =>
      writeFileSync(join(world.work, name), text);
    put('logs.zip', zip([{ name: 'a.txt', content: 'one\ntwo\n' }]));
    put('people.csv', 'name,age\nAda,36\n');
    put('config.json', '{"server":{"port":80}}');
    for (const words of [
      ['init', '-q'],
      ['add', 'app.log'],
      ['commit', '-qm', 'x'],
    ])
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...words], { cwd: world.work });
    const skill = read('packaging/agents/skills/oriel/SKILL.md');
    const calls = [...skill.matchAll(/`oriel ((?:read|find) (?!TARGET)[^`]+)`/g)].map(
      ([, call = '']) => call,
    );
    expect(calls.length).toBeGreaterThan(15);
    for (const call of calls) {
      const words = [...call.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
      expect(run(words, { cwd: world.work, env: { HOME: world.work } }), call).toMatchObject({
        code: 0,
        err: '',
      });
    }
  } finally {
    world.remove();
  }
});

test('the extension package asks as installed hooks do', () => {
  for (const [host, file] of [
    ['claude', 'claude'],
    ['gemini', 'hooks'],
  ] as const) {
    const own = nativeEntries(host).map(({ place, entry }) => [
      place(undefined).keys[1],
      [entry({ command: 'oriel', args: ['hook', host] })],
    ]);
    expect(JSON.parse(read(`packaging/agents/hooks/${file}.json`))).toEqual({
      hooks: Object.fromEntries(own),
    });
  }
  const qwen = installHosts().find(({ id }) => id === 'qwen');
  expect(JSON.parse(read('packaging/agents/qwen-extension.json'))).toMatchObject({
    mcpServers: { oriel: qwen?.entry({ command: 'oriel', args: ['mcp', '--tools', 'read'] }, false) },
  });
  const { version } = JSON.parse(read('package.json')) as { version: string };
  for (const name of ['.claude-plugin/plugin', 'gemini-extension', 'qwen-extension', 'package'])
    expect(read(`packaging/agents/${name}.json`)).toContain(`"version": "${version}"`);
});

describe('what commands print', () => {
  let world: DocsWorld;
  beforeAll(async () => void (world = await docsWorld()));
  afterAll(() => world.remove());

  const examples = inLanguage('console')
    .flatMap(examplesOf)
    .filter(({ command }) => has('curl') || !command.startsWith('curl '));
  test.each(examples)('$name', async ({ command, printed }) => {
    const url = command.includes(SHOWN_URL) ? (await server([world.work])).url : SHOWN_URL;
    const output = world.run(command.replaceAll(SHOWN_URL, url)).replaceAll(url, SHOWN_URL);
    expect(output === '' || output.endsWith('\n') ? output : `${output}\n`).toMatch(pattern(printed));
  });
});

describe('commands that nobody runs here', () => {
  const commands = new Map<string, string>();
  /** What the command line says of one of its commands. */
  const helpOf = (command: string): string => {
    const known = commands.get(command) ?? run([command, '--help', '--all']).out;
    commands.set(command, known);
    return known;
  };

  test.each(inLanguage('sh').map(({ name, text }) => ({ name, text })))('$name is right', ({ text }) => {
    expect(spawnSync('bash', ['-n', '-c', text.replaceAll('…', '')], { encoding: 'utf8' }).stderr).toBe('');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [, command = '', rest = ''] of text.matchAll(/\boriel ([a-z]+)(?=\s|$)((?: [^|#&\n]*)?)/g)) {
      const help = helpOf(command);
      expect(help, command).toContain(`oriel ${command}`);
      // What stands in quotes belongs to another command.
      for (const [flag] of rest.replaceAll(/'[^']*'/g, '').matchAll(/--[a-z-]+/g))
        expect(help).toContain(flag);
    }
  });
});

describe('snippets run', () => {
  test.each(inLanguage('ts').map(({ name, text }) => ({ name, text })))('$name', async ({ name, text }) => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.ts`);
    const local = text.replaceAll(
      /from 'oriel(\/([\w-]+))?'/g,
      (all: string) => `from '${sources[all.slice("from '".length, -1)]?.[0]}'`,
    );
    writeFileSync(file, local);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    const plain = (value: string): string => value.replaceAll(/["'\s]/g, '');
    const said = [...text.matchAll(/console\.log\(.*\); \/\/ ([[{'\d].*)$/gm)].map(([, value = '']) =>
      plain(value),
    );
    const printed = log.mock.calls.map(([value]) => plain(JSON.stringify(value)));
    log.mockRestore();
    for (const value of said) expect(printed).toContain(value);
  });
});

/** `'oriel/client'` → the source that the package's exports name. */
const sources: Record<string, string[]> = Object.fromEntries(
  Object.entries(
    (JSON.parse(read('package.json')) as { exports: Record<string, { default?: string }> }).exports,
  )
    .filter(([, target]) => target.default !== undefined)
    .map(([entry, target]) => [
      entry.replace('.', 'oriel'),
      [`../../${target.default?.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`],
    ]),
);

test('examples fit the types, strictly', () => {
  const examples = [...inLanguage('ts types'), ...inLanguage('ts')].map(({ name, text }) => ({
    name: `${name.replaceAll(/\W+/g, '-')}.ts`,
    text,
  }));
  expect(examples.length).toBeGreaterThan(9);
  const at = join(folder, 'types');
  mkdirSync(at, { recursive: true });
  for (const { name, text } of examples) writeFileSync(join(at, name), text);
  const paths = Object.fromEntries(
    Object.entries(sources).map(([entry, files]) => [entry, files.map((file) => `../${file}`)]),
  );
  writeFileSync(
    join(at, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../tsconfig.json',
      compilerOptions: { paths, noUnusedLocals: false },
      include: ['*.ts', '../../../src/**/*.d.ts'],
    }),
  );
  const { stdout, status } = spawnSync('node_modules/.bin/tsc', ['-p', join(at, 'tsconfig.json')], {
    encoding: 'utf8',
  });
  expect([stdout, status]).toEqual(['', 0]);
});

/** The block of JSON that shows how a failure looks. */
const failure = 'docs/errors.md';

interface HostServer {
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly url?: string;
  readonly httpUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

test('every host configuration starts our server, or asks over HTTP', () => {
  const hosts = inLanguage('json').filter(({ page }) => page !== failure);
  expect(hosts.length).toBeGreaterThan(3);
  for (const { name, text } of hosts) {
    const [servers] = Object.values(JSON.parse(text) as Record<string, Record<string, HostServer>>);
    const { command, args = [], url, httpUrl, headers } = servers?.['oriel'] ?? {};
    const address = url ?? httpUrl;
    if (address === undefined) {
      expect([command, ...args].flat().slice(0, 2), name).toEqual(['oriel', 'mcp']);
    } else {
      expect({ address, headers }, name).toEqual({
        address: `${SHOWN_URL}/mcp`,
        headers: { Authorization: 'Bearer TOKEN' },
      });
    }
  }
  expect(inLanguage('toml').map(({ text }) => text)).toEqual([
    `[mcp_servers.oriel]\nurl = "${SHOWN_URL}/mcp"\nbearer_token_env_var = "ORIEL_TOKEN"\n`,
  ]);
});

test('a failure looks as it is shown', async () => {
  const [shown] = inLanguage('json').filter(({ page }) => page === failure);
  const { details } = await workspace().read('src/ap.ts');
  expect(details['error']).toEqual(JSON.parse(shown?.text ?? ''));
});

/** Without code: a link may stand there as something that is typed. */
const prose = (page: string): string => read(page).replaceAll(/`[^`\n]*`/g, '');

/** The files to which a page links. */
const linked = (page: string): string[] =>
  [...prose(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => normalize(join(dirname(page), target)));

test('links lead to files that exist', () => {
  const broken = [...pages, 'test/README.md'].flatMap((page) =>
    linked(page).flatMap((target) => (existsSync(target) ? [] : [`${page} → ${target}`])),
  );
  expect(broken).toEqual([]);
});

test('links of packed pages lead to packed files', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const isPacked = (path: string): boolean =>
    path === 'README.md' || files.some((file) => path === file || path.startsWith(`${file}/`));
  const packed = pages.filter(isPacked);
  expect(packed.length).toBe(pages.length);
  const broken = packed.flatMap((page) =>
    linked(page).flatMap((target) => (isPacked(target) ? [] : [`${page} → ${target}`])),
  );
  expect(broken).toEqual([]);
});

test('links into a page lead to a heading', () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const broken = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)]
      .filter(([, target = '', anchor]) => {
        const text = read(target === '' ? page : normalize(join(dirname(page), target)));
        return ![...text.matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => slug(heading) === anchor);
      })
      .map(([link]) => `${page} → ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every page is named in the README', () => {
  const text = read('README.md');
  expect(pages.filter((page) => page !== 'README.md' && !text.includes(`](${page})`))).toEqual([]);
});

test('the list of error codes is complete', () => {
  const [, union = ''] = /export type ErrorCode =([^;]*);/.exec(read('src/errors.ts')) ?? [];
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  const described = [...read('docs/errors.md').matchAll(/^- `([A-Z_]+)`: /gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(20);
  expect(described.toSorted()).toEqual(codes.toSorted());
});

test('every code is used', () => {
  const [, union = ''] = /export type ErrorCode =([^;]*);/.exec(read('src/errors.ts')) ?? [];
  const code = (readdirSync('src', { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && name !== 'errors.ts')
    .map((name) => read(join('src', name)))
    .join('');
  const codes = [...union.matchAll(/'[A-Z_]+'/g)].map(([code]) => code);
  expect(codes.filter((name) => !code.includes(name))).toEqual([]);
});

test('every selector in the table is one', () => {
  const rows = read('docs/selectors.md')
    .split('\n')
    .filter((line) => line.startsWith('| `:'));
  const forms = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`:([^`]+)`/g)].map(([, form = '']) => form),
  );
  expect(forms.length).toBeGreaterThan(12);
  expect(forms.filter((form) => parseBehind('a', form) === undefined)).toEqual([]);
});

test('the table of limits is the limits', () => {
  const page = read('docs/paging.md');
  const named = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
  expect(named).toEqual(limitNames);
  const defaults = Object.fromEntries(
    [...page.matchAll(/^\| `(\w+)` +\| ([^|]*?) +\|/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(defaults).toMatchObject({
    lines: baseLimits.lines.toLocaleString('en'),
    bytes: `${baseLimits.bytes / 1024} KiB`,
    window: `${baseLimits.window / 1024} KiB`,
    windowMax: `${baseLimits.windowMax / 1024} KiB`,
    countBytes: `${baseLimits.countBytes / 2 ** 30} GiB`,
  });
  expect(defaultSettings.display).toBe('numbers');
});

test('the list of queues is that of the code', () => {
  const stated = [...read('docs/concurrency.md').matchAll(/^- `([\w-]+)` \((\d+), (\d+)\): /gm)].map(
    ([, name, limit, waiting]) => ({ name, limit: Number(limit), waiting: Number(waiting) }),
  );
  expect(stated).toEqual(
    Object.values(queues).map(({ name, limit, maxWaiting }) => ({ name, limit, waiting: maxWaiting })),
  );
});
