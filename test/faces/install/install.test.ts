/** `oriel install` and `oriel uninstall`: what they write into the files of agents, and that everything comes back. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { contents, LAUNCHER, place } from '../../support/agent-home.ts';
import { run } from '../../support/warm-cli.ts';
import { temporaryFolder } from '../../support/commands.ts';

const START = { command: '<launcher>', args: ['mcp'] };
const LOCAL = { type: 'local', command: ['<launcher>', 'mcp'] };

/** By host: its file, the key of the entries in it, and its entry. */
const HOSTS: readonly (readonly [host: string, path: string, key: string, entry: object])[] = [
  ['claude', '.claude.json', 'mcpServers', { type: 'stdio', ...START }],
  ['codex', '.codex/config.toml', 'mcp_servers', { ...START, omit_tools_from: ['deferred'] }],
  ['opencode', '.config/opencode/opencode.json', 'mcp', LOCAL],
  ['kilo', '.config/kilo/kilo.json', 'mcp', LOCAL],
  ['pi', '.pi/agent/mcp.json', 'mcpServers', { ...START, exposure: 'direct' }],
  ['gemini', '.gemini/settings.json', 'mcpServers', START],
  ['qwen', '.qwen/settings.json', 'mcpServers', { ...START, alwaysLoadTools: true }],
  [
    'copilot',
    '.copilot/mcp-config.json',
    'mcpServers',
    { type: 'local', ...START, tools: ['*'], deferTools: 'never' },
  ],
  [
    'cline',
    '.cline/data/settings/cline_mcp_settings.json',
    'mcpServers',
    { transport: { type: 'stdio', ...START } },
  ],
  ['continue', '.continue/config.yaml', 'mcpServers', { name: 'oriel', ...START }],
  [
    'goose',
    '.config/goose/config.yaml',
    'extensions',
    { enabled: true, type: 'stdio', name: 'oriel', cmd: '<launcher>', args: ['mcp'] },
  ],
  [
    'cursor',
    '.cursor/mcp.json',
    'mcpServers',
    { type: 'stdio', command: '<launcher>', args: ['mcp', '${workspaceFolder}'] },
  ],
  ['vscode', '.config/Code/User/mcp.json', 'servers', { type: 'stdio', ...START }],
  ['zed', '.config/zed/settings.json', 'context_servers', { ...START, env: {} }],
  ['windsurf', '.codeium/windsurf/mcp_config.json', 'mcpServers', START],
];

/** The value of a text with comments and trailing commas, which no string here looks like. */
function parsed(path: string, text: string): unknown {
  const bare = text.replace(/^\uFEFF/, '');
  if (path.endsWith('.toml')) return parseToml(bare);
  if (path.endsWith('.yaml')) return parseYaml(bare);
  const json = bare.replaceAll(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '').replaceAll(/,(?=\s*[}\]])/g, '');
  return json.trim() === '' ? {} : JSON.parse(json);
}

describe('an agent without a configuration gets one, which goes again', () => {
  test.each(HOSTS)('%s', (host, path, key, entry) => {
    const { home, oriel, text } = place();
    expect(oriel('install', host, '--mode', 'mcp')).toMatchObject({ code: 0, err: '' });
    const written = text(path);
    const value = parsed(path, written.replaceAll(join(home, LAUNCHER), '<launcher>'));
    const { [key]: entries } = value as Record<string, unknown>;
    expect(entries).toEqual(host === 'continue' ? [entry] : expect.objectContaining({ oriel: entry }));
    expect(oriel('install', host, '--mode', 'mcp').out).toContain('installed already');
    expect(text(path)).toBe(written);
    expect(oriel('uninstall', host)).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(home)).toEqual([]);
  });
});

const JSONS: Record<string, (key: string) => string> = {
  empty: () => '',
  'an empty object': () => '{}',
  'an empty object with a comment': () => '{\n  // later\n}\n',
  'only a comment': () => '// later',
  'one line': (key) => `{"a":1,"${key}":{"x":{"command":"x"}}}`,
  'one line with a trailing comma': () => '{ "a": 1, }',
  'comments everywhere': (key) =>
    `// mine\n{ // open\n  /* first */ "a": "http://x/{,}\\"", // about a\n  "${key}": { // servers\n    // the only one\n    "x": { "command": "x" } // last\n  } /* end */\n}\n// done\n`,
  'trailing commas': (key) => `{\n\t"a": [1,\n\t2,],\n\t"${key}": {\n\t\t"x": {},\n\t},\n}`,
  'an empty container': (key) => `{\n    "${key}": {},\n    "z": null\n}\n`,
  'the key twice': (key) => `{"${key}": {"first": {}},\n "${key}": {"last": {}}}`,
  'the name elsewhere': () => '{\n  "other": { "oriel": 1 },\n  "oriel": 2\n}',
};

const TOMLS: Record<string, string> = {
  'tables and dates':
    'model = "x" # mine\nd = 1979-05-27T07:32:00Z\nn = 1_000\n\n[mcp_servers.x]\ncommand = "x"\n',
  'no newline at the end': '[a]\nb = 1',
  'a text that looks like the entry': 'a = """\n[mcp_servers.oriel]\n"""\n',
};

const YAMLS: Record<string, (key: string, item: string) => string> = {
  'comments and a list': (key, item) =>
    `# mine\nname: a\n${key}: # servers\n  # the first\n  ${item}\nz: 1\n# end\n`,
  'no indentation': (key, item) => `${key}:\n${item}\nz: 1`,
  'a key without a value': (key) => `a: 1\n${key}:\nz: 1\n`,
  'flow style': (key, item) => `${key}: ${item.startsWith('-') ? '[{name: x}]' : '{x: {a: 1}}'}\n`,
  'empty flow style': (key, item) => `a: 1\n${key}: ${item.startsWith('-') ? '[]' : '{}'} # none\n`,
  'anchors and no newline': () => 'a: &a\n  b: 1\nc: *a',
};

const texts = HOSTS.filter(([host]) =>
  ['claude', 'opencode', 'codex', 'continue', 'goose'].includes(host),
).flatMap(([host, path, key]) => {
  const all = path.endsWith('.toml')
    ? Object.entries(TOMLS)
    : path.endsWith('.yaml')
      ? Object.entries(YAMLS).map(
          ([name, make]) => [name, make(key, host === 'goose' ? 'x: {a: 1}' : '- name: x')] as const,
        )
      : Object.entries(JSONS).map(([name, make]) => [name, make(key)] as const);
  return all.map(([name, text]) => ({ host, path, key, name, text }));
});

describe('only the entry is added, and all else stays to the byte', () => {
  test.each(texts)('$host: $name', ({ host, path, key, text }) => {
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    for (const original of host === 'opencode' ? [text] : [text, windows]) {
      const { oriel, put, text: now } = place();
      put(path, original);
      const before = parsed(path, original) as Record<string, unknown>;
      expect(oriel('install', host, '--mode', 'mcp')).toMatchObject({ err: '', code: 0 });
      const written = now(path);
      const after = parsed(path, written) as Record<string, unknown>;
      const rest = (value: object): unknown =>
        Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      expect(rest(after)).toEqual(rest(before ?? {}));
      const [old, fresh] = [before[key], after[key]];
      if (Array.isArray(fresh)) expect(fresh.filter(({ name }) => name !== 'oriel')).toEqual(old ?? []);
      else expect(rest({ [key]: {}, ...(fresh as object) })).toMatchObject(old ?? {});
      expect(written.replaceAll('\r\n', '').includes('\n')).toBe(
        (original.includes('\n') && !original.includes('\r\n')) ||
          (!original.includes('\r') && written.includes('\n')),
      );
      oriel('install', host, '--mode', 'mcp');
      expect(now(path)).toBe(written);
      expect(oriel('uninstall', host)).toMatchObject({ err: '', code: 0 });
      expect(now(path)).toBe(original);
    }
  });
});

test('what the host or a person writes afterwards stays', () => {
  const { oriel, put, text } = place();
  put('.claude.json', '{"a":1}');
  put('.codex/config.toml', 'model = "x"\n');
  put('.continue/config.yaml', 'name: x\n');
  oriel('install', 'claude', 'codex', 'continue', '--mode', 'mcp');
  const value = JSON.parse(text('.claude.json')) as { mcpServers: object };
  put(
    '.claude.json',
    JSON.stringify({ ...value, b: 2, mcpServers: { ...value.mcpServers, x: {} } }, null, 4),
  );
  put(
    '.codex/config.toml',
    text('.codex/config.toml').replace('args', '# mine\nargs') +
      '\n[mcp_servers.oriel.env]\nA = "b"\n\n[z]\n',
  );
  put(
    '.continue/config.yaml',
    text('.continue/config.yaml').replace('    command', '    # mine\n    command') + '  - name: x\n',
  );
  expect(oriel('uninstall')).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(text('.claude.json'))).toEqual({ a: 1, b: 2, mcpServers: { x: {} } });
  expect(text('.codex/config.toml')).toBe('model = "x"\n\n[z]\n');
  expect(text('.continue/config.yaml')).toBe('name: x\nmcpServers:\n  - name: x\n');
});

const pathOf = new Map(HOSTS.map(([host, path]) => [host, path]));

type Aftermath = [host: string, text: string, write: (text: string) => string, left: string];

const aftermaths: Record<string, Aftermath> = {
  'a table behind a text without a newline': [
    'codex',
    'model = "x"',
    (text) => `${text}[z]\n`,
    'model = "x"\n\n[z]\n',
  ],
  'a key behind a text without a newline': ['goose', 'a: 1', (text) => `${text}z: 1\n`, 'a: 1\nz: 1\n'],
  'the only other entry is gone': [
    'codex',
    '[mcp_servers.x]\ncommand = "x"\n\n[z]\n',
    (text) => text.replace(/^.*"x"\n\n/s, ''),
    '[z]\n',
  ],
  'a comment in a new file': [
    'gemini',
    '',
    (text) => `// mine\n${text.replace('{', '{ // keys')}`,
    '// mine\n{ // keys\n}\n',
  ],
};

test.each(Object.entries(aftermaths))('it goes also after a change: %s', (_, [host, before, write, left]) => {
  const { oriel, put, text } = place();
  const path = pathOf.get(host) as string;
  if (before !== '') put(path, before);
  oriel('install', host, '--mode', 'mcp');
  put(path, write(text(path)));
  expect(oriel('uninstall')).toMatchObject({ code: 0, err: '' });
  expect(text(path)).toBe(left);
});

test('an entry of a person stays, also when oriel is taken out', () => {
  const { oriel, put, text } = place();
  const own = '{ "mcpServers": { "oriel": { "command": "oriel", "args": ["mcp", "--web"] } } }';
  put('.claude.json', own);
  expect(oriel('install', 'claude', '--mode', 'mcp').out).toBe(
    'Claude Code: the entry oriel of ~/.claude.json was written by somebody else, and stays\n',
  );
  expect(oriel('install', 'claude', '--list').out).toBe('claude    own entry           ~/.claude.json\n');
  expect(oriel('uninstall', 'claude').out).toBe('Claude Code: nothing of oriel is in ~/.claude.json\n');
  expect(text('.claude.json')).toBe(own);
});

type Refusal = [sentence: string, host: string, text: string, prepare?: (path: string) => void];

const refusals: Refusal[] = [
  ['is not valid JSON: it was left as it is.', 'claude', '{\n  "a": x }\n'],
  ['is not valid TOML (line 2): it was left as it is.', 'codex', 'a = 1\nb = \n'],
  ['is not valid YAML (line 2): it was left as it is.', 'goose', 'a: 1\nb: [}\n'],
  ['was left as it is: its top level is not an object.', 'claude', '[1]'],
  ['was left as it is: mcpServers is not an object.', 'claude', '{"mcpServers": []}'],
  ['was left as it is: mcpServers is not an object.', 'claude', '{"mcpServers": null}'],
  ['is not UTF-8: it was left as it is.', 'claude', '{"a": "\xff"}'],
  [
    'cannot be changed without writing it anew, and was left as it is: change its entry oriel by hand.',
    'codex',
    'mcp_servers = { x = { command = "x" } }\n',
  ],
  ['is read-only: it was left as it is.', 'claude', '{}', (path) => chmodSync(path, 0o444)],
  [
    'has hard links, which a replacement would separate: it was left as it is.',
    'claude',
    '{}',
    (path) => linkSync(path, `${path}.2`),
  ],
];

test.each<Refusal>(refusals)('a file that cannot be changed: %s', (sentence, host, text, prepare) => {
  const { home, oriel, put } = place();
  const at = put(pathOf.get(host) as string, Buffer.from(text, 'latin1'));
  prepare?.(at);
  const before = contents(home);
  for (const more of [['--dry-run'], []]) {
    const { code, err } = oriel('install', host, '--mode', 'mcp', ...more);
    expect({ code, err: err.replace(/^oriel: [\w ]+: /, '') }).toEqual({
      code: 2,
      err: `${at} ${sentence}\n`,
    });
  }
  oriel('uninstall');
  expect(contents(home)).toEqual(before);
});

test('a link stays a link, and a mode a mode', () => {
  const { home, oriel, put, text } = place();
  const target = put('dotfiles/claude.json', '{}');
  chmodSync(target, 0o640);
  symlinkSync(target, join(home, '.claude.json'));
  oriel('install', 'claude', '--mode', 'mcp');
  expect(lstatSync(join(home, '.claude.json')).isSymbolicLink()).toBe(true);
  expect(statSync(target).mode & 0o777).toBe(0o640);
  expect(text('dotfiles/claude.json')).toContain('oriel');
  oriel('uninstall');
  expect(contents(home)).toEqual({ 'dotfiles/claude.json': '{}' });
});

test('a link to nothing is refused', () => {
  const { home, oriel } = place();
  const path = join(home, '.claude.json');
  symlinkSync('/nowhere/x', path);
  expect(oriel('install', 'claude', '--mode', 'mcp').err).toBe(
    `oriel: Claude Code: ${path} is a link to a file that does not exist.\n`,
  );
});

test('install without names finds the agents, and list tells their states', () => {
  const { home, oriel, put } = place();
  put('.codex/config.toml', '');
  put('.gemini/settings.json', '{\n  "a": 1\n}\n');
  const dry = oriel('install', '--dry-run', '--mode', 'mcp');
  expect(dry.out).toBe(`Codex: ~/.codex/config.toml
@@ -1,0 +1,4 @@
+[mcp_servers.oriel]
+command = "${home}/${LAUNCHER}"
+args = ["mcp"]
+omit_tools_from = ["deferred"]
Gemini CLI: ~/.gemini/settings.json
@@ -2,1 +2,9 @@
-  "a": 1
+  "a": 1,
+  "mcpServers": {
+    "oriel": {
+      "command": "${home}/${LAUNCHER}",
+      "args": [
+        "mcp"
+      ]
+    }
+  }
Nothing was changed (--dry-run).
`);
  expect(Object.keys(contents(home))).toEqual(['.codex/config.toml', '.gemini/settings.json']);
  expect(oriel('install', 'gemini', '--mode', 'mcp').out.split('\n').at(-2)).toBe(
    'Installed. Running sessions keep what they started with.',
  );
  expect(oriel('install', '--list', 'codex', 'gemini-cli', 'zed').out)
    .toBe(`codex     not installed       ~/.codex/config.toml
gemini    installed           ~/.gemini/settings.json
zed       no such agent here  ~/.config/zed/settings.json
`);
});

test('a diff shows nothing of what stands around the entry', () => {
  const { home, oriel, put } = place();
  const token = JSON.stringify({ env: { TOKEN: 'x'.repeat(300) } });
  put('.gemini/settings.json', `{"mcpServers":{"a":${token}},"z":${token}}`);
  expect(oriel('install', 'gemini', '--mode', 'mcp').out.split('\n').slice(1, 4)).toEqual([
    '@@ -1,1 +1,1 @@',
    '-…',
    `+…, "oriel": {"command":"${home}/${LAUNCHER}","args":["mcp"]}…`,
  ]);
});

test('who searches itself gets read alone, until a person names the mode', () => {
  const { oriel, text } = place();
  const isAlone = (): boolean => /"--tools",\s+"read"/.test(text('.cursor/mcp.json'));
  oriel('install', 'cursor');
  expect(isAlone()).toBe(true);
  expect(oriel('install', 'cursor').out).toContain('installed already');
  oriel('install', 'cursor', '--mode', 'mcp');
  expect(isAlone()).toBe(false);
  // What is there stays.
  expect(oriel('install', 'cursor').out).toContain('installed already');
  expect(oriel('install', '--list', 'cursor').out).toContain('cursor    installed           ');
  oriel('install', 'claude', '--mode', 'both');
  expect(oriel('install', '--list', 'claude').out).not.toContain('outdated');
  oriel('install', 'codex');
  expect(text('.codex/config.toml')).toContain('args = ["mcp"]');
});

test('what cannot be installed is said before anything is changed', () => {
  const { home, oriel } = place();
  expect(oriel('install')).toMatchObject({
    code: 2,
    err: /^oriel: No agent was found on this machine\. Name one: /,
  });
  expect(oriel('install', 'codx').err).toMatch(/^oriel: There is no host codx\. Did you mean codex\?/);
  expect(oriel('install', 'codex', 'zed', '--mode', 'native').err).toBe(
    'oriel: oriel cannot stand behind the own tools of Codex, so there is no mode native. Use oriel install codex --mode mcp.\n',
  );
  expect(oriel('install', 'windsurf', '--project').err).toBe(
    'oriel: Windsurf: Windsurf has no configuration file in projects. Leave out --project.\n',
  );
  oriel('uninstall');
  expect(contents(home)).toEqual({});
});

/** A directory for the PATH that has a command oriel. */
function binDirectory(path: string): string {
  const root = temporaryFolder();
  const bin = join(root, path);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'oriel'), '');
  return bin;
}

test('a project gets no path of this machine where oriel is on the PATH', () => {
  const { project, oriel } = place({ PATH: binDirectory('bin') });
  expect(oriel('install', 'cursor', 'claude', '--project', '--mode', 'mcp').code).toBe(0);
  const { mcpServers } = JSON.parse(readFileSync(join(project, '.cursor/mcp.json'), 'utf8')) as {
    mcpServers: unknown;
  };
  expect(mcpServers).toEqual({
    oriel: { type: 'stdio', command: 'oriel', args: ['mcp', '${workspaceFolder}'] },
  });
  expect(oriel('uninstall', '--project').code).toBe(0);
  expect(contents(project)).toEqual({});
});

test('where oriel is older or missing, the hook of a project does not fail', () => {
  const bin = binDirectory('old');
  const { project, oriel } = place({ PATH: bin });
  oriel('install', 'claude', '--project');
  const { hooks } = JSON.parse(readFileSync(join(project, '.claude/settings.json'), 'utf8')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  const commands = Object.values(hooks).flatMap((list) => list.flatMap((one) => one.hooks));
  writeFileSync(join(bin, 'oriel'), '#!/bin/sh\necho no such command >&2\nexit 2\n', { mode: 0o755 });
  for (const PATH of [bin, '/nowhere'])
    for (const { command } of commands) {
      const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', command], {
        env: { PATH },
        encoding: 'utf8',
      });
      expect([command, stdout, stderr, status]).toEqual([command, '', '', 0]);
    }
  expect(commands).toHaveLength(2);
});

test('a command that only npx finds is no command of a project', () => {
  const { home, project, oriel } = place({ PATH: binDirectory('node_modules/.bin') });
  oriel('install', 'claude', '--project', '--mode', 'mcp');
  expect(JSON.parse(readFileSync(join(project, '.mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { oriel: { command: join(home, LAUNCHER) } },
  });
});

test('what is left in projects is said', () => {
  const { home, project, oriel } = place();
  oriel('install', 'cursor', '--project');
  const elsewhere = run(['uninstall'], { cwd: home, env: { HOME: home, PATH: '' } });
  expect(elsewhere.out).toBe(
    `Nothing was taken out.\nIt is still in ${project}/.cursor/mcp.json: use oriel uninstall --project in that project.\n`,
  );
  expect(oriel('uninstall', '--project').code).toBe(0);
  expect(contents(project)).toEqual({});
});

test('it goes from its file when the agent got another one', () => {
  const { home, oriel, put } = place();
  put('.config/opencode/opencode.jsonc', '// mine\n{}\n');
  oriel('install', 'opencode');
  put('.config/opencode/opencode.json', '{}');
  oriel('uninstall');
  expect(contents(home)).toEqual({
    '.config/opencode/opencode.json': '{}',
    '.config/opencode/opencode.jsonc': '// mine\n{}\n',
  });
});

test('no new file hides the one that an agent reads', () => {
  const { home, oriel, put } = place();
  put('.continue/config.json', '{"models":[]}');
  expect(oriel('install', 'continue', '--dry-run').err).toBe(
    'oriel: Continue: With a file ~/.continue/config.yaml Continue would no longer read ~/.continue/config.json: move what is there first.\n',
  );
  expect(Object.keys(contents(home))).toEqual(['.continue/config.json']);
});

test('an entry of an older oriel is renewed, and goes to the byte', () => {
  const [old, other] = [place(), place()];
  const config = join(old.home, '.codex/config.toml');
  old.put('.codex/config.toml', '# mine\n');
  old.oriel('install', 'codex');
  // Another home directory means another launcher, and the same file.
  const moved = { CODEX_HOME: dirname(config), XDG_DATA_HOME: join(other.home, 'data') };
  const run2 = (...args: string[]): ReturnType<typeof run> =>
    run(args, { cwd: old.project, env: { HOME: other.home, PATH: '', ...moved } });
  const record = join(old.home, '.local/share/oriel/install');
  mkdirSync(join(other.home, 'data/oriel'), { recursive: true });
  symlinkSync(record, join(other.home, 'data/oriel/install'));
  expect(run2('install', 'codex').err).toBe('');
  expect(readFileSync(config, 'utf8')).toContain(join(other.home, 'data/oriel/install/oriel'));
  expect(readFileSync(config, 'utf8').match(/mcp_servers/g)).toHaveLength(1);
  run2('uninstall', 'codex');
  expect(readFileSync(config, 'utf8')).toBe('# mine\n');
});

/** By host: the file through which oriel is behind its own tools, and a word in it. */
const NATIVE: readonly (readonly [host: string, path: string, word: string])[] = [
  ['claude', '.claude/settings.json', 'PostToolUse'],
  ['opencode', '.config/opencode/plugin/oriel.js', 'tool.execute.after'],
  ['kilo', '.config/kilo/plugin/oriel.js', 'tool.execute.after'],
  ['pi', '.pi/agent/extensions/oriel.js', 'tool_result'],
  ['copilot', '.copilot/hooks/oriel.json', 'postToolUse'],
  ['gemini', '.gemini/settings.json', 'AfterTool'],
];

describe('behind the own tools of an agent, and out again to the byte', () => {
  test.each(NATIVE)('%s', (host, path, word) => {
    const { home, oriel, text } = place();
    // What would be written, and how to see that it was.
    expect(oriel('install', host, '--list').out).toContain(` ~/${path}\n`);
    const installed = oriel('install', host, '--mode', 'native');
    expect(installed).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('oriel install --list'),
    });
    expect(text(path)).toContain(word);
    expect(text(path)).toContain(`hook`);
    // A file with two hooks is named once.
    expect(installed.out.split(`~/${path}`)).toHaveLength(2);
    expect(oriel('install', host).out.match(/(?<=: )installed already/g)).toHaveLength(1);
    const line = `${host.padEnd(9)} installed (native)  ~/${path}\n`;
    expect(oriel('install', host, '--list').out).toBe(line);
    expect(oriel('uninstall', host)).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(home)).toEqual([]);
  });
});

test('a dry run shows each change of a file after the one before', () => {
  const { oriel, text } = place();
  const all = ['--mode', 'native'];
  const dry = oriel('install', 'claude', '--dry-run', ...all).out;
  expect(dry.split('Nothing was changed')[0]).toBe(
    oriel('install', 'claude', ...all).out.split('Installed.')[0],
  );
  const before = text('.claude/settings.json');
  const [gone] = oriel('uninstall', 'claude', '--dry-run').out.split('Nothing was changed');
  expect(text('.claude/settings.json')).toBe(before);
  expect(gone).toBe(oriel('uninstall', 'claude').out.split('Removed.')[0]);
  expect(gone?.match(/^Claude Code: /gm)).toHaveLength(1);
});

test('hooks of a person stay, and a mode replaces another one', () => {
  const { home, put, text, oriel } = place();
  const own =
    '{\n  // mine\n  "hooks": {\n    "PostToolUse": [\n      { "matcher": "Edit", "hooks": [] },\n    ],\n  },\n}\n';
  put('.claude/settings.json', own);
  oriel('install', 'claude', '--mode', 'both');
  expect(text('.claude.json')).toContain('--deferred');
  expect(text('.claude/settings.json')).toContain('"matcher": "Edit"');
  expect(text('.claude/settings.json')).toContain('PreToolUse');
  oriel('install', 'claude', '--mode', 'native');
  expect(contents(home)).not.toHaveProperty(['.claude.json']);
  oriel('install', 'claude', '--mode', 'mcp');
  expect(text('.claude/settings.json')).toBe(own);
  oriel('uninstall', 'claude');
  expect(contents(home)).toEqual({ '.claude/settings.json': own });
});

test.each(['claude', 'gemini', 'opencode', 'copilot', 'pi'])(
  'what %s got of several modes goes with its files and directories',
  (host) => {
    const { home, oriel } = place();
    for (const mode of ['mcp', 'both', 'native']) oriel('install', host, '--mode', mode);
    oriel('uninstall');
    expect(readdirSync(home)).toEqual([]);
  },
);

test('a file that Gemini CLI itself refuses is named as such', () => {
  const { put, oriel } = place();
  const refusal = 'Gemini CLI refuses this file for a comma before a closing bracket: remove it.\n';
  put('.gemini/settings.json', '{\n  "a": ",}" // ,}\n}\n');
  expect(oriel('install', 'gemini', '--dry-run').out).not.toContain(refusal);
  put('.gemini/settings.json', '{\n  "a": 1, // b\n}\n');
  expect(oriel('install', 'gemini')).toMatchObject({ code: 0, out: expect.stringContaining(refusal) });
});

test('a plugin that a person changed stays', () => {
  const { put, text, oriel } = place();
  oriel('install', 'pi', '--mode', 'native');
  put('.pi/agent/extensions/oriel.js', '// my own\n');
  expect(oriel('install', 'pi', '--mode', 'native').out).toContain('was written by somebody else, and stays');
  expect(oriel('uninstall', 'pi').err).toContain('was left as it is');
  expect(text('.pi/agent/extensions/oriel.js')).toBe('// my own\n');
});
