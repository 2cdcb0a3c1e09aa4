import * as fs from 'node:fs';
import { getEventListeners } from 'node:events';
import { basename, join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { OrielError } from '../../src/errors.ts';
import { createOffer } from '../../src/faces/offer.ts';
import {
  DEFAULT_DENY,
  DenyRules,
  isCurrent,
  type KnownFacts,
  linkedBelow,
  type LinkedFiles,
  linkedRule,
  privateFile,
  withoutFacts,
} from '../../src/files/deny-rules.ts';
import { DenyPolicy } from '../../src/files/deny-policy.ts';
import { createAccess } from '../../src/files/local.ts';
import { createOriel, type Oriel } from '../../src/index.ts';
import type { DenyRule, OpenedItem } from '../../src/types/access.ts';
import { tar } from '../support/tar.ts';
import { textOf, workspace, type Workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const warned: string[] = [];

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation((sentence) => void warned.push(String(sentence)));
});

afterEach(() => {
  warned.length = 0;
  vi.restoreAllMocks();
});

const READ = ['a.ts', 'b/(c)/e.ts', 'b/a.ts', 'b/c/d.ts', 'b/x.md', 'z.log'];

function place(own = {}): Workspace {
  const made = workspace({ deny: [], ...own });
  for (const path of READ) made.write(path, 'text\n');
  return made;
}

/** Which of the files cannot be read because they are private. */
async function privateIn({ read }: Workspace): Promise<string[]> {
  const found: string[] = [];
  for (const path of READ) {
    const { details } = await read(path);
    if ((details['error'] as { code?: string } | undefined)?.code === 'PRIVATE') found.push(path);
  }
  return found;
}

const settings = (...deny: unknown[]): string => JSON.stringify({ permissions: { deny } });
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each<[string, string | Uint8Array, string[]]>([
  ['.cursorignore', 'a.ts\n', ['a.ts', 'b/a.ts']],
  ['.cursorignore', '[[:upper:]].ts\n', ['a.ts', 'b/(c)/e.ts', 'b/a.ts', 'b/c/d.ts']],
  ['.geminiignore', '# all\n/a.ts\r\n', ['a.ts']],
  ['.aiexclude', 'b/\n!b/x.md\n', ['b/(c)/e.ts', 'b/a.ts', 'b/c/d.ts', 'b/x.md']],
  ['.aiignore', '*.ts\n!a.ts\n', ['b/(c)/e.ts', 'b/c/d.ts']],
  ['.codeiumignore', '  z.log \n', ['z.log']],
  ['.cursorignore', utf16('z.log\r\n'), ['z.log']],
  ['.claude/settings.json', settings('Read(a.ts)'), ['a.ts', 'b/a.ts']],
  ['.claude/settings.local.json', settings('Read(./a.ts)'), ['a.ts']],
  ['.claude/settings.json', settings('Read(/a.ts)', 'Read(./b/c/**)'), ['a.ts', 'b/c/d.ts']],
  ['.claude/settings.json', settings('Read(b/*)'), ['b/(c)/e.ts', 'b/a.ts', 'b/c/d.ts', 'b/x.md']],
  ['.claude/settings.json', settings('Read(**)'), READ],
  ['.claude/settings.json', settings('Read', 'Read()', 'Bash(rm:*)', 'Edit(a.ts)'), []],
  [
    '.claude/settings.json',
    `{"permissions":{"deny":["Read(z.log)", // this\n"Read(./a.ts)"`,
    ['a.ts', 'z.log'],
  ],
  ['.claude/settings.json', '{"permissions":{"deny":["Read(z.log)",],"allow":["Read(a.ts)"]}}', ['z.log']],
  ['.claude/settings.json', settings('Read(a.tsx', 'Edit(Read(z.log)', '!Read(z.log)'), []],
  ['.claude/settings.json', '{"permissions":{"deny":"Read(z.log)"}}', ['z.log']],
  ['.claude/settings.json', '{"permissions":{}}', []],
  ['.claude/settings.json', settings(' Read( /a.ts ) ', 1, null), ['a.ts']],
  ['.claude/settings.json', settings('Read(.)'), READ],
  ['.claude/settings.json', settings('Read(c/)', 'Read(b/x.md//)'), ['b/c/d.ts']],
  ['.claude/settings.json', settings('Read(../work/b/x.*)', 'Read(../../**/z.log)'), ['b/x.md', 'z.log']],
  ['.claude', 'no directory\n', []],
  [
    '.claude/settings.json',
    '{ permissions: { deny : ["Read(z.log)"], ask : ["Read(./a.ts)"] }, deny: ["Read(b/x.md)"] }',
    ['b/x.md', 'z.log'],
  ],
  ['.claude/settings.json', '{"permissions":{"deny":["Read(a.ts)", "Edit(z.log)"', ['a.ts', 'b/a.ts']],
  ['.claude/settings.json', '{"permissions":null}', []],
  ['.claude/settings.json', '{"permissions":{"allow":["Read(a.ts)"]', []],
  ['.cursorignore', `${'#'.repeat(1 << 20)}\na.ts\n`, []],
  [
    '.claude/settings.json',
    '{"permissions":{"deny":["Read(./b/(c)/**)", \'Read(a.ts)\', "Read(./z.(log)',
    ['a.ts', 'b/(c)/e.ts', 'b/a.ts'],
  ],
  ['.claude/settings.json', settings('Read(b/../a.ts)', 'Read(b//c/./d.ts)'), ['a.ts', 'b/c/d.ts']],
  ['.claude/settings.json', settings('Read(./)'), READ],
])('rules of %s: %s', async (name, content, expected) => {
  const made = place();
  made.write(name, content);
  expect(await privateIn(made)).toEqual(expected);
});

test('absolute rules and those of the home directory', async () => {
  const made = place();
  const home = fs.realpathSync(join(made.W, '..'));
  vi.stubEnv('HOME', home);
  made.write('.claude/settings.json', settings('Read(~/work/z.log)', `Read(/${made.W}/b/*.md)`));
  expect(await privateIn(made)).toEqual(['b/x.md', 'z.log']);
  vi.unstubAllEnvs();
  // Also by a path with a link.
  fs.symlinkSync(made.W, join(made.O, 'w'));
  made.write('.claude/settings.json', settings(`Read(/${made.O}/w/a.ts)`));
  expect(await privateIn(made)).toEqual(['a.ts']);
});

test('a rule holds from the next call on, and until it is removed', async () => {
  const made = place();
  expect(await privateIn(made)).toEqual([]);
  made.write('.cursorignore', 'a.ts/\n');
  expect(await privateIn(made)).toEqual([]);
  made.write('.cursorignore', 'z.log\n');
  expect(await privateIn(made)).toEqual(['z.log']);
  fs.rmSync(join(made.W, '.cursorignore'));
  expect(await privateIn(made)).toEqual([]);
});

test.each([
  ['.aiexclude', 'z.log\n'],
  ['.claude/settings.json', settings('Read(z.log)')],
])('a rule holds that comes after a long quiet: %s', async (name, content) => {
  const made = place();
  fs.mkdirSync(join(made.W, '.claude'));
  // Directories that changed a moment ago are looked through each time.
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  expect(await privateIn(made)).toEqual([]);
  const changed = (): bigint => fs.statSync(join(made.W, name, '..'), { bigint: true }).ctimeNs;
  const before = changed();
  // The clock of a file system stands still for some milliseconds.
  for (made.write(name, content); changed() === before; made.write(name, content))
    fs.rmSync(join(made.W, name));
  expect(await privateIn(made)).toEqual(['z.log']);
  made.write(name, '');
  expect(await privateIn(made)).toEqual([]);
});

test('a file that becomes private leaves every cache and index', { tags: 'slow' }, async () => {
  const { W, O, with: other, write } = place({ cache: undefined, timeoutMs: 600_000 });
  const code = `export function hushHush(hum) {}\n${'// marrow\n'.repeat(2_000)}`;
  write('z.ts', code);
  write('p.tgz', gzipSync(tar([{ name: 'in/z.ts', content: code }])));
  const source = `# marrow\n${'hum\n'.repeat(4_000)}`;
  write('n.ipynb', JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'markdown', metadata: {}, source }] }));
  write('t.csv', `marrow,hum\n${'1,2\n'.repeat(9_000)}`);
  // The cache on disk is that of later processes.
  const own = { cache: { directory: join(O, 'cache') } };
  const symbol = { symbol: 'hushHush' };
  const calls: readonly (readonly [string, object])[] = [
    ...['z.ts', 'z.ts:outline', 'z.ts:#hushHush', 'z.ts:raw', 'n.ipynb', 't.csv'].map(
      (path) => ['read', { path }] as const,
    ),
    ...['p.tgz:in', 'p.tgz:in/z.ts', 'p.tgz:in/z.ts:outline', '.:#hushHush'].map(
      (path) => ['read', { path }] as const,
    ),
    ['grep', { pattern: 'm[a]rrow', inside: true }],
    ['find', symbol],
  ];
  const answers = async (oriel: Oriel): Promise<string[]> => {
    const said: string[] = [];
    for (const [tool, input] of calls) said.push(JSON.stringify(await oriel.tool(tool).run(input)));
    return said;
  };
  const told = /marrow|\(hum|2,?001|4,?001|9,?001|19\.6 KiB|\bhum\b|z\.ts:\d/;
  const before = other(own);
  // A busy machine parses after several calls.
  await expect.poll(async () => textOf(await before.tool('find').run(symbol))).toContain('z.ts');
  for (const said of [await answers(before), await answers(before)].flat()) expect(said).toMatch(told);
  write('.cursorignore', 'z.ts\nn.ipynb\n*.csv\n');
  const after = other(own);
  for (const oriel of [before, after])
    for (const said of await answers(oriel)) expect(said).not.toMatch(told);
  fs.rmSync(join(W, '.cursorignore'));
  for (const said of (await answers(before)).slice(0, 10)) expect(said).toMatch(told);
  await Promise.all([before.close(), after.close()]);
});

test('a file that becomes private leaves the cache on disk', async () => {
  const { O, with: other, write } = place();
  const directory = join(O, 'cache');
  write('s.rtf', String.raw`{\rtf1\ansi marrow\par}`);
  const oriel = other({ cache: { directory } });
  const kept = (): boolean =>
    fs.readdirSync(directory).some((name) => fs.readFileSync(join(directory, name)).includes('marrow'));
  const ask = async (): Promise<string> => textOf(await oriel.tool('read').run({ path: 's.rtf' }));
  expect(await ask()).toContain('marrow');
  await expect.poll(kept).toBe(true);
  write('.cursorignore', '*.rtf\n');
  expect(await ask()).toContain(' is private ');
  expect(kept()).toBe(false);
  await oriel.close();
});

test('a broken or unreadable rule file is said once', async () => {
  const made = place();
  fs.symlinkSync(join(made.O, 'secret.txt'), join(made.W, '.aiignore'));
  made.write('.claude/settings.json', '{"permissions":{"deny":["Read(a.ts)"');
  await privateIn(made);
  expect(warned.map((sentence) => sentence.replaceAll(made.W, 'W'))).toEqual([
    'The rules for private files in W/.claude/settings.json hold in part, or not at all: it is not valid JSON; what looks like a rule holds.',
    expect.stringContaining('The rules for private files in W/.aiignore hold in part, or not at all: '),
  ]);
});

test('the error names the rule, its file and its line', async () => {
  const { write, text } = place();
  write('.cursorignore', '# none\nz.log\n');
  expect(await text('z.log')).toBe(
    'z.log is private by the rule z.log of .cursorignore:2, which a person can lift there and which does not bind commands. Use . to list the working directory.',
  );
  expect(await text('a.ts', { deny: ['b', '*.ts'] })).toContain('by the rule *.ts of the option deny, which');
});

test('a list without roots is for the working directory and all names', async () => {
  const { W, write } = place();
  const file = write('out/.env', 'A=1\n');
  const oriel = createOriel({ cwd: join(W, 'b'), deny: ['.env', '/a.ts'], cache: false });
  const codes = async (path: string): Promise<unknown> =>
    ((await oriel.tool('read').run({ path })).details['error'] as { code?: string } | undefined)?.code;
  expect([await codes(file), await codes('a.ts'), await codes(join(W, 'a.ts'))]).toEqual([
    'PRIVATE',
    'PRIVATE',
    undefined,
  ]);
  await oriel.close();
});

test('line ends and blanks are no part of a pattern', async () => {
  expect(await privateIn(place({ deny: ['a.ts\r\n/b/x.md  \r\n'] }))).toEqual(['a.ts', 'b/a.ts', 'b/x.md']);
});

test('an escaped blank at the end of a rule is part of the name', async () => {
  const { write, read } = place();
  write('.cursorignore', 'blank\\ \n');
  expect((await read(write('blank ', 'text\n'))).details).toMatchObject({ error: { code: 'PRIVATE' } });
});

test('a rule that is escaped otherwise in the file has no line', async () => {
  const { write, text } = place();
  write('.claude/settings.json', settings('Read(./a.ts)', 'Read(./z.log)').replace('z.', '\\u007a.'));
  expect(await text('a.ts')).toContain('by the rule Read(./a.ts) of .claude/settings.json:1,');
  expect(await text('z.log')).toContain('by the rule Read(./z.log) of .claude/settings.json, ');
  // Nor have those behind it.
  write('.claude/settings.json', settings('Read(./z.log)', 'Read(./a.ts)').replace('z.', '\\u007a.'));
  expect(await text('a.ts')).toContain('by the rule Read(./a.ts) of .claude/settings.json, ');
});

/** The rules of `projects`, and the names of rule files that were opened. */
function policyIn(W: string): readonly [DenyPolicy, string[], string[]] {
  const [opened, keys]: [string[], string[]] = [[], []];
  const access = createAccess({ cwd: W, roots: [W], allow: [] });
  const changed = (key: string): undefined => void keys.push(key);
  const options = { patterns: ['z.log'], projects: [W], name: 'the option deny', changed };
  const open = (path: string): Promise<OpenedItem> => (opened.push(basename(path)), access.open(path));
  return [new DenyPolicy(options, [W], open), opened, keys];
}

test('a rule file is read again when it or its target changed', async () => {
  const { W, write } = workspace();
  const [policy, opened, keys] = policyIn(W);
  const clock = vi.spyOn(Date, 'now');
  const isPrivate = async (): Promise<boolean> =>
    (await policy.current()).decide(join(W, 'a.ts'), false) !== undefined;
  const { ctimeMs } = fs.lstatSync(write('.cursorignore', 'a.ts\n'), { bigint: true });
  // It may change once more with the same time.
  clock.mockReturnValue(Number(ctimeMs) + 2_499);
  expect([await isPrivate(), await isPrivate(), opened.length]).toEqual([true, true, 2]);
  clock.mockReturnValue(Number(ctimeMs) + 2_500);
  expect([await isPrivate(), await isPrivate(), opened.length]).toEqual([true, true, 3]);
  expect([await policy.current(), keys.length]).toEqual([await policy.current(), 1]);
  clock.mockReturnValue(Number(ctimeMs) + 1e6);
  write('.cursorignore', 'b.ts\n');
  expect([await isPrivate(), await isPrivate(), opened.length, keys.length]).toEqual([false, false, 4, 2]);
  fs.symlinkSync('rules', join(W, '.aiignore'));
  expect(await isPrivate()).toBe(false);
  write('rules', 'a.ts\n');
  opened.length = 0;
  expect([await isPrivate(), await isPrivate(), opened]).toEqual([true, true, ['.aiignore']]);
  write('rules', 'c.ts\n');
  expect([await isPrivate(), opened.length]).toEqual([false, 2]);
});

test('a rule holds that was read before the next rule file was busy', async () => {
  const { W, write } = workspace();
  const access = createAccess({ cwd: W, roots: [W], allow: [] });
  const open = async (path: string): Promise<OpenedItem> => {
    if (basename(path) === '.aiignore') throw new OrielError('BUSY', 'Too many files are open.');
    return access.open(path);
  };
  const policy = new DenyPolicy({ patterns: [], projects: [W], name: 'the option deny' }, [W], open);
  await policy.current();
  const rules = write('.cursorignore', 'a.ts\n');
  const busy = write('.aiignore', 'b.ts\n');
  // Later the files count as settled.
  vi.spyOn(Date, 'now').mockReturnValue(fs.lstatSync(rules).ctimeMs + 1e6);
  await expect(policy.current()).rejects.toMatchObject({ code: 'BUSY' });
  fs.rmSync(busy);
  expect((await policy.current()).decide(join(W, 'a.ts'), false)).toMatchObject({ from: '.cursorignore' });
});

test('git reads its own files by the other rules', async () => {
  const { W } = workspace();
  const [policy] = policyIn(W);
  const [all, git] = [await policy.current(), await policy.currentForGit()];
  const names = ['.git/index', 'bare.git/objects', 'z.log', 'a.ts'];
  const privateBy = (rules: DenyRules): string[] => names.filter((name) => rules.decide(join(W, name), true));
  expect([privateBy(all), privateBy(git)]).toEqual([['.git/index', 'bare.git/objects', 'z.log'], ['z.log']]);
  expect(await policy.currentForGit()).toBe(git);
  expect(git.data.key).not.toBe(all.data.key);
  expect(all.decide(join(W, '.git/index'), false)).toMatchObject({
    from: 'oriel itself',
    rule: '**/.git/**/index',
  });
});

test('who waits for a comparison of names may stop waiting', async () => {
  const { W, write } = workspace();
  const [policy] = policyIn(W);
  fs.linkSync(write('z.log', 'text\n'), join(W, 'a.ts'));
  const stats = fs.lstatSync(join(W, 'a.ts'), { bigint: true });
  const rules = await policy.current();
  const [stop, other] = [new AbortController(), new AbortController()];
  const waiting = policy.linked(rules, stats, stop.signal);
  const longer = policy.linked(rules, stats, other.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(policy.linked(rules, stats, stop.signal)).rejects.toThrow('enough');
  expect((await longer)?.rule).toBe('z.log');
  expect(getEventListeners(other.signal, 'abort')).toEqual([]);
});

test('names are compared once in a minute', async () => {
  const { W, write } = workspace();
  const [policy] = policyIn(W);
  fs.linkSync(write('z.log', 'text\n'), join(W, 'a.ts'));
  const stats = fs.lstatSync(join(W, 'a.ts'), { bigint: true });
  const rules = await policy.current();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await policy.linked(rules, stats))?.rule).toBe('z.log');
  fs.rmSync(join(W, 'z.log'));
  vi.setSystemTime(Date.now() + 59_999);
  expect((await policy.linked(rules, stats))?.rule).toBe('z.log');
  vi.setSystemTime(Date.now() + 1);
  expect(await policy.linked(rules, stats)).toBeUndefined();
});

test('a project may have a name that looks like a pattern', async () => {
  const { W, write, text } = workspace();
  for (const name of ['#!', 'a[b]', 'a*b', 'c?\\']) {
    write(`${name}/.claude/settings.json`, settings('Read(./a.ts)', `Read(/${join(W, name)}/b.ts)`));
    const project = join(W, name);
    for (const path of ['a.ts', 'b.ts', 'c.ts']) write(`${name}/${path}`, 'text\n');
    const own = { cwd: project, roots: [project], deny: [] };
    expect([await text('a.ts', own), await text('c.ts', own)]).toEqual([
      expect.stringContaining(' is private by the rule Read(./a.ts) '),
      '1|text\n',
    ]);
  }
});

test.each<[readonly string[], readonly string[], readonly string[]]>([
  [['.env.*'], ['.env.local', '.ENV.x'], ['.env', 'x.env.a']],
  [
    ['*.KEY', '!b.key'],
    ['a.key', 'd/A.Key'],
    ['key', 'B.key'],
  ],
  [['[ab]*.ts'], ['b1.ts'], ['c1.ts', 'a1.js']],
  [['[[:upper:]]1'], ['a1', 'B1'], ['11']],
  [['a?'], ['ab'], ['a', 'abc']],
  [
    ['\\#x', 'y\\*'],
    ['#x', 'y*'],
    ['x', 'yz'],
  ],
  [['x[12]'], ['x2'], ['x3']],
  [['é*.ts'], ['É1.ts', 'e\u0301.ts'], ['e.ts']],
  [['*é'], ['É', 'xe\u0301'], ['e']],
  [['*.ts'], ['É.ts'], []],
  [['straße', 'secret'], ['STRASSE', 'ſecret', 'se\u200dcret'], ['strase']],
  [['\u0390', '\u1fb4'], ['\u03aa\u0301', '\u03b1\u0345\u0301'], ['\u03b1']],
  [['vault/*'], ['vault/x', 'vault/x/y'], ['vault', 'x', 'a/vault/x']],
  [['**/vault/**/*'], ['vault/x', 'a/vault/x/y'], ['a/vault', 'vaults/x']],
  [['a/b/'], ['a/b/x'], ['a/b', 'b/x']],
  [['*.db'], ['a.db-wal', 'b/A.DB-shm', 'a.db-journal'], ['a.dbx-wal', 'a-wal', 'a.db-wal/x', 'a.db-walx']],
  [['*'], ['a', '-wal'], ['']],
])('by the rules %j private are %j, and %j not', (patterns, closed, open) => {
  const rules = patterns.map((pattern) => ({ pattern, rule: pattern, from: '', lift: '' }));
  for (const base of ['/p', '/']) {
    const names = new DenyRules({ key: '', sources: [{ base, rules }], projects: [] });
    const privateOf = (all: readonly string[]): string[] =>
      all.filter((name) => names.decide(join(base, name), false));
    expect([privateOf(closed), privateOf(open)]).toEqual([closed, []]);
  }
});

test('a rule with a line break leaves the others as they are', async () => {
  const made = place();
  made.write('.claude/settings.json', settings('Read(./q\nb)', 'Read(./z.log)', 'Read(./b/c/d.ts)'));
  const odd = made.write('q\nb', 'text\n');
  expect(await privateIn(made)).toEqual(['b/c/d.ts', 'z.log']);
  expect(await made.text(odd)).toContain(' is private by the rule Read(./q\\nb) of ');
  expect(await made.text('z.log')).toContain('by the rule Read(./z.log) of ');
});

test('rules hold for a root that was removed and made again', async () => {
  const { W, O, write } = place();
  const offer = createOffer({ cwd: W, roots: [W, O], deny: [], cache: false });
  const code = async (): Promise<unknown> =>
    ((await offer.read('a.ts')).details['error'] as { code?: string } | undefined)?.code;
  const rules = (): string => write('.cursorignore', 'a.ts\n');
  rules();
  expect(await code()).toBe('PRIVATE');
  // The name keeps the inode of the old directory from being used again.
  fs.renameSync(W, `${W}.old`);
  fs.mkdirSync(W);
  fs.rmSync(`${W}.old`, { recursive: true });
  write('a.ts', 'text\n');
  rules();
  expect(await code()).toBe('PRIVATE');
  fs.rmSync(O, { recursive: true });
  write('.cursorignore', 'a.*\n');
  expect(await code()).toBe('PRIVATE');
  await offer.close();
});

test('known rules hold while their file cannot be looked at', async () => {
  const made = place();
  made.write('.claude/settings.json', settings('Read(z.log)'));
  expect(await privateIn(made)).toEqual(['z.log']);
  fs.renameSync(join(made.W, '.claude'), join(made.W, '.kept'));
  fs.symlinkSync('.claude', join(made.W, '.claude'));
  expect(await privateIn(made)).toEqual(['z.log']);
  expect(warned[0]).toContain('leads into a loop of links');
});

const MIB = 1 << 20;

test.each([
  ['.aiignore', '/'.repeat(MIB), 'over 4096 characters'],
  ['.aiignore', `*${'a'.repeat(4_000)}*\n`.repeat(250), undefined],
  ['.aiignore', '*a*\n'.repeat(MIB / 4), 'its first 10000 rules'],
  ['.aiignore', '\n'.repeat(MIB), undefined],
  ['.claude/settings.json', '{"deny":["Read('.padEnd(MIB, 'Read('), 'not valid JSON'],
  ['.claude/settings.json', `{"deny":["Read(${'('.repeat(MIB - 20)})`, 'over 4096 characters'],
  ['.claude/settings.json', settings(...Array(20_000).fill('Read(~/none/**)')), 'its first 10000 rules'],
  [
    '.claude/settings.json',
    settings(...Array.from({ length: 9_000 }, (_, i) => `Read(//none/${'a/'.repeat(40)}${i}/x)`)),
    undefined,
  ],
  ['.claude/settings.json', settings(...Array(10_000).fill('Read(/x/y)')).replaceAll('/', '\\/'), undefined],
] as const)('the cost of a hostile %s is bounded', { tags: 'slow' }, async (name, content, said) => {
  const made = place();
  made.write(name, content);
  expect((await made.read('z.log')).isError).toBe(false);
  if (said === undefined) expect(warned).toEqual([]);
  else expect(warned.join('\n')).toContain(said);
});

test('without a list nothing is private', async () => {
  const made = place({ deny: undefined });
  made.write('.cursorignore', 'a.ts\n');
  expect(await privateIn(made)).toEqual([]);
});

test('rules of a server hold for a client with narrower roots', async () => {
  const { W, write } = place();
  write('.cursorignore', '/b/x.md\n');
  write('b/.cursorignore', 'a.ts\n');
  const offer = createOffer({ cwd: W, roots: [W], deny: ['/b/c/'], cache: false });
  const roots = await offer.narrow?.([join(W, 'b')]);
  const codes = ['a.ts', 'x.md', 'c/d.ts', '.'].map(async (path) => {
    const { details } = await offer.read(path, {}, { roots });
    return (details['error'] as { code?: string } | undefined)?.code;
  });
  expect(await Promise.all(codes)).toEqual(['PRIVATE', 'PRIVATE', 'PRIVATE', undefined]);
  await offer.close();
});

/** What a comparison finds if these are the facts about paths; the text of one stands for a file with several names. */
function compared(facts: Record<string, KnownFacts | readonly string[]>): readonly [string[], LinkedFiles] {
  const rules = new DenyRules({
    key: '',
    sources: [{ base: '/p', rules: [{ pattern: '.env', rule: '.env', from: 'a list', lift: 'there' }] }],
    projects: ['/p', '/p/inner', '/p2'],
  });
  const asked: string[] = [];
  const comparing = linkedBelow(rules);
  for (let step = comparing.next(); ;) {
    if (step.done) return [asked, step.value];
    const path = 'list' in step.value ? step.value.list : step.value.stat;
    asked.push(path);
    step = comparing.next(facts[path] as KnownFacts);
  }
}

const entry = (name: string, kind = 1): fs.Dirent =>
  Object.assign(new (fs.Dirent as unknown as new (name: string, kind: number) => fs.Dirent)(name, kind));
const linkedFile = { dev: 1, ino: 7, nlink: 2, ctimeMs: 0 } as fs.Stats;

test('names of links are compared once, and not with what is gone', () => {
  const [asked, found] = compared({
    '/p': [entry('.env'), entry('inner', 2)],
    '/p/inner': [entry('.env')],
    '/p/.env': linkedFile,
    '/p/inner/.env': { ...linkedFile, nlink: 1, ino: 9 } as fs.Stats,
  });
  expect([...found.rules.keys()]).toEqual(['1:7']);
  expect(asked).toEqual(['/p2', '/p', '/p/.env', '/p/inner', '/p/inner/.env']);
  expect(linkedRule(found, linkedFile)?.rule).toBe('.env');
  expect(linkedRule(found, { ...linkedFile, ino: 8 })).toBeUndefined();
});

test.each(
  String.raw`vault/../x.txt|a/../vault/x.txt|.env.|.env . |a/.env ./b|vault./x.txt|C:.env|z:\vault\x|/vault/./x|vault//x|../.env|vault/../ ./x`.split(
    '|',
  ),
)('the member %j is private, as some program unpacks it', (member) => {
  const rules = ['.env', 'vault/**'].map((rule) => ({ pattern: rule, rule, from: '', lift: '' }));
  const names = new DenyRules({ key: '', sources: [{ base: '/p', rules }], projects: [] });
  expect(names.inside('/p/a.zip', member, false)).toBeDefined();
  for (const other of ['vaults/../x.txt', '1:.env', 'vault', 'x.env', 'env'])
    expect(names.inside('/p/a.zip', other, false)).toBeUndefined();
});

/** The field of the Unicode name, for programs that know it. */
function unicodeName(name: string, instead: string): Buffer {
  const field = Buffer.alloc(9, 1);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + name.length, 2);
  field.writeUInt32LE(crc32(instead), 5);
  return Buffer.concat([field, Buffer.from(name)]);
}

/** A packed file with the name behind a long field. */
function namedGzip(name: string): Buffer {
  const packed = gzipSync('marrow\n');
  packed[3] = 4 + 8;
  const field = Buffer.alloc(2 + 60_000);
  field.writeUInt16LE(60_000, 0);
  return Buffer.concat([packed.subarray(0, 10), field, Buffer.from(`${name}\0`), packed.subarray(10)]);
}

test.each([
  [
    'a Unicode name in a zip',
    'a.zip:notes.txt',
    zip([{ name: '.env', extra: unicodeName('notes.txt', '.env'), content: 'marrow\n' }]),
  ],
  [
    'a local header in a zip',
    'a.zip:notes.txt',
    zip([{ name: 'notes.txt', localName: '.env', content: 'marrow\n' }]),
  ],
  [
    'one of many local headers in a zip',
    'a.zip:notes.txt',
    zip([
      ...Array.from({ length: 256 }, (_, i) => ({ name: `${i}.txt`, content: '' })),
      { name: 'notes.txt', localName: '.env', content: 'marrow\n' },
    ]),
  ],
  ['a long field in a gzip', 'notes.txt', namedGzip('.env')],
])('%s hides no private name', async (_, path, bytes) => {
  const { write, read } = workspace({ deny: ['.env'] });
  write(path.replace(/:.*/, ''), bytes);
  expect((await read(path)).details).toMatchObject({ error: { code: 'PRIVATE' } });
});

test.each(
  (
    'app.db-wal sub/app.db-shm APP.db-journal .git/index .git/modules/m/objects/ab/cd ' +
    '.git/rebase-merge/patch .git/lost-found/other/ab .git/worktrees/w/COMMIT_EDITMSG'
  ).split(' '),
)('what holds parts of a private file is private: %s', async (path) => {
  const { write, read } = workspace({ deny: ['*.db'] });
  write(path, 'text\n');
  expect((await read(path)).details).toMatchObject({ error: { code: 'PRIVATE' } });
  write('index', 'text\n');
  write('a-wal', 'text\n');
  for (const other of ['index', 'a-wal']) expect((await read(other)).isError).toBe(false);
  expect((await read(path, { deny: [] })).isError).toBe(false);
});

test('what could not be compared is private, and it is said why', () => {
  const gaps = [compared({ '/p': 'failed' }), compared({ '/p': [entry('.env')], '/p/.env': 'failed' })].map(
    ([, found]) => privateFile('a.ts', linkedRule(found, linkedFile) as DenyRule).why,
  );
  expect(compared({ '/p': Array(2_000_001) as fs.Dirent[] })[1].gap).toBe('there are too many files');
  expect(gaps).toEqual([
    'a.ts is private because it has several names (hard links), and not all private files were compared with it: a directory could not be listed, which a person can lift by removing its other names and which does not bind commands.',
    expect.stringContaining('compared with it: a private file could not be looked at, which'),
  ]);
});

test('a private file is private under another name, until that is gone', async () => {
  const { W, text, write } = place({ deny: ['z.log'] });
  fs.linkSync(join(W, 'z.log'), join(W, 'b/z.txt'));
  fs.linkSync(join(W, 'a.ts'), join(W, 'a.txt'));
  expect(await text('b/z.txt')).toContain('b/z.txt is private by the rule z.log of the option deny, ');
  expect(await text('a.txt')).toBe('1|text\n');
  // Also the file that was compared before.
  fs.linkSync(join(W, 'a.ts'), join(W, 'b/c/z.log'));
  expect(await text('a.txt')).toContain(' is private by the rule z.log ');
  fs.rmSync(join(W, 'z.log'));
  write('z.log', 'text\n');
  expect(await text('b/z.txt')).toBe('1|text\n');
});

test('what is gone or closed has no facts, what fails makes private', () => {
  const facts = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EIO', 'EMFILE'].map((code) =>
    withoutFacts(Object.assign(new Error(code), { code })),
  );
  expect(facts).toEqual([undefined, undefined, undefined, undefined, 'failed', 'failed']);
  const directory = [entry('.env'), entry('sub', 2), entry('link', 3)];
  expect(compared({ '/p': directory, '/p/.env': undefined, '/p/sub': undefined })[1]).toMatchObject({
    rules: new Map(),
    gap: undefined,
  });
});

test('a comparison holds for a minute, for files that stay unchanged', () => {
  const compare = { since: 100_000, rules: new Map() };
  const holds = (ctimeMs: number | bigint, began: number): boolean =>
    isCurrent(compare, { dev: 1, ino: 1, ctimeMs }, began);
  expect([holds(200_000, 100_000), holds(98_999n, 159_999), holds(98_999, 160_000)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([holds(99_000, 100_001), holds(99_000, 99_999)]).toEqual([false, true]);
});

test('of a list the first rules hold that are not too long', async () => {
  const { write, read } = place();
  const isPrivate = async (path: string): Promise<boolean> => (await read(path)).isError;
  const long = 'x'.repeat(4_096);
  write('.aiignore', `${long}\n${'q\n'.repeat(9_998)}a.ts\nz.log\n`);
  expect([await isPrivate('a.ts'), await isPrivate('z.log')]).toEqual([true, false]);
  expect(warned).toEqual([expect.stringMatching(/: only its first 10000 rules are used\.$/)]);
  warned.length = 0;
  write('.aiignore', `${long}x\nz.log\n`);
  expect([await isPrivate('a.ts'), await isPrivate('z.log')]).toEqual([false, true]);
  expect(warned).toEqual([expect.stringMatching(/: a rule has over 4096 characters and is ignored\.$/)]);
  warned.length = 0;
  for (const length of [1 << 20, (1 << 20) + 1]) {
    write('.aiignore', '#'.repeat(length));
    await isPrivate('a.ts');
  }
  expect(warned).toEqual([expect.stringMatching(/: only its first 1 MiB is read\.$/)]);
});

test('the default list is named, and can be taken away', async () => {
  const { text, write } = workspace({ deny: [...DEFAULT_DENY, 'own.ts'] });
  write('.env', 'A=1\n');
  write('own.ts', 'text\n');
  expect(await text('.env')).toContain(
    'by the rule .env of the default list, which a person can lift with --allow-private ',
  );
  expect(await text('own.ts')).toContain(
    'by the rule own.ts of the option deny, which a person can lift in the option deny ',
  );
});

test('rules of a second project are named by their whole path', async () => {
  const { W, O, write } = place();
  write('.cursorignore', 'z.log\n');
  fs.writeFileSync(join(O, '.cursorignore'), '*.txt\n');
  fs.mkdirSync(join(O, '.aiignore'));
  const offer = createOffer({ cwd: W, roots: [W, O], deny: [], cache: false });
  const said = async (path: string): Promise<string> => textOf(await offer.read(path));
  expect(await said('z.log')).toContain(' of .cursorignore:1, ');
  expect(await said(join(O, 'secret.txt'))).toContain(` of ${join(O, '.cursorignore')}:1, `);
  expect(warned).toEqual([
    expect.stringMatching(/\.aiignore hold in part, or not at all: it is a directory\.$/),
  ]);
  await offer.close();
});
