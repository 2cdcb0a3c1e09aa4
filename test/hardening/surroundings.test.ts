/**
 * What surrounds the process: homes and temporary directories that are not there, little memory, a clock that jumps.
 *
 * @module-tag slow
 */

import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { builtUrl } from '../support/built.ts';
import { cli } from '../support/cli.ts';
import { docx, paragraph } from '../support/documents.ts';
import { mayMount, skip } from '../support/has.ts';
import { deflatedZeros, makePng } from '../support/images.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** Given a directory that is there. */
const HOMES: Readonly<Record<string, (directory: string) => NodeJS.ProcessEnv>> = {
  'no environment at all': () => ({}),
  'a home and a temporary directory that do not exist': (directory) => ({
    HOME: join(directory, 'no/home'),
    TMPDIR: join(directory, 'no/tmp'),
    XDG_CACHE_HOME: join(directory, 'no/cache'),
  }),
  // Where nobody may write, root neither.
  'a home that is read-only': () => ({ HOME: '/proc', XDG_CACHE_HOME: '/proc/cache' }),
  'a home that is a file': () => ({ HOME: '/etc/hostname', XDG_CACHE_HOME: '/etc/hostname' }),
};

test.each(Object.entries(HOMES))('C07 %s: files and documents are read', (_, env) => {
  const { W, O, write } = workspace();
  write('f', 'hi\n');
  write('d.docx', docx(paragraph('a text')));
  const at = { env: env(O), timeout: 60_000, encoding: 'utf8', cwd: W } as const;
  const read = (path: string): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [cli, 'read', path], at);
    return `${status} ${stdout}${stderr}`;
  };
  expect(read('f')).toBe('0 1|hi\n');
  expect(read('d.docx')).toContain('1|a text\n');
});

test.skipIf(!mayMount())('C14 without /proc all is read, and limitations are told', () => {
  const { W, O, write } = workspace();
  write('large.txt', `${'filler\n'.repeat(400_000)}needle\n`);
  write('small.ts', 'export function needle() {}\n');
  write('d.docx', docx(paragraph('a text')));
  write('a.zip', zip([{ name: 'member.txt', content: 'of the archive\n' }]));
  symlinkSync(O, join(W, 'out'));
  const without = (...command: string[]): { readonly stdout: string; readonly stderr: string } =>
    spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$0" "$@"', ...command], {
      cwd: W,
      encoding: 'utf8',
    });
  const calls = [
    ['read', { path: 'large.txt:-1' }],
    ['read', { path: 'small.ts:#needle' }],
    ['read', { path: 'd.docx' }],
    ['read', { path: 'a.zip:member.txt' }],
    ['grep', { pattern: 'needle' }],
    ['find', { pattern: '*.ts' }],
    ['read', { path: 'out/secret.txt' }],
    ['bash', { command: 'seq 3000; pwd' }],
    ['read', { path: 'artifact://1:1' }],
  ];
  const script = `
    const { createOriel } = await import(${JSON.stringify(builtUrl('index.js'))});
    const oriel = createOriel({ roots: ['.'], telemetry: false });
    const answers = [];
    for (const [name, input] of ${JSON.stringify(calls)})
      answers.push((await oriel.tool(name).run(input)).content[0].text);
    await oriel.close();
    console.log(JSON.stringify(answers));`;
  const { stdout, stderr } = without(process.execPath, '--input-type=module', '-e', script);
  expect(stderr).toBe('');
  const texts = JSON.parse(stdout) as string[];
  const expected = [
    '400001|needle',
    'export function needle() {}',
    '1|a text',
    'of the archive',
    'large.txt:400001: needle\nsmall.ts:1: export function needle() {}',
    'small.ts',
    'lies outside the directories that may be read',
    `${W}\n`,
    '1|1',
  ];
  expect(texts.map((text, i) => text.includes(expected[i] as string) || text)).toEqual(texts.map(() => true));
  const bash = without(process.execPath, cli, 'bash', 'echo run');
  expect(bash.stdout).toBe('run\n');
  expect(bash.stderr).toBe(
    'oriel: There is no /proc here. So a file that is replaced while it is opened may be read before that is noticed, ' +
      'and processes that leave the process group of their command outlive it. Mount /proc to prevent both.\n',
  );
});

/** The memory hierarchies of control groups: version 1 and version 2, with the file of the limit. */
const GROUPS = [
  ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
  ['/sys/fs/cgroup', 'memory.max'],
] as const;

/** A new control group of this machine with so much memory; undefined if none can be created. */
function memoryGroup(bytes: number): string | undefined {
  for (const [root, limit] of GROUPS) {
    const group = join(root, `oriel-test-${process.pid}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    // Its last children end with oriel, and a group that has processes cannot be removed.
    onTestFinished(async () => {
      const members = (): string => readFileSync(join(group, 'cgroup.procs'), 'utf8');
      await expect.poll(members).toBe('');
      rmdirSync(group);
    });
    // Without the memory controller there is no such file.
    if (!existsSync(join(group, limit))) continue;
    writeFileSync(join(group, limit), `${bytes}`);
    return group;
  }
  return undefined;
}

test('C09 hostile files are answered in 256 MB of memory', async (context) => {
  const group = memoryGroup(256 << 20);
  if (group === undefined) return skip(context, 'no control group of memory can be created here');
  const { W, write } = workspace();
  const bomb = await deflatedZeros(300_000_000);
  write('bomb.zip', zip([{ name: 'big.txt', packed: bomb.subarray(2, -4), size: 300_000_000 }]));
  write('one-line.json', Buffer.alloc(64 << 20, 'x'));
  write('large.log', 'a line of a log that is long\n'.repeat(2_000_000));
  write('picture.png', makePng(4_000, 4_000));
  write('t.db', await databaseBytes('create table t(a)', 'insert into t values(1)'));
  write('d.docx', docx(paragraph('a text').repeat(20_000)));
  const paths = (
    'bomb.zip bomb.zip:big.txt one-line.json one-line.json:-1 large.log:1999990- picture.png ' +
    't.db:t d.docx d.docx:-5'
  ).split(' ');
  const script = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const oriel = createOriel({ cwd: ${JSON.stringify(W)}, roots: [${JSON.stringify(W)}], cache: false });
    for (const path of ${JSON.stringify(paths)}) {
      const { details } = await oriel.tool('read').run({ path });
      console.log(path, details.error?.code ?? 'OK');
    }
    await oriel.close();
  `;
  const command = `echo $$ > ${group}/cgroup.procs && exec "$0" --input-type=module -e "$1"`;
  const said = spawnSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  expect([said.stderr, said.signal, said.status]).toEqual(['', null, 0]);
  expect(said.stdout).toBe(paths.map((path) => `${path} OK\n`).join(''));
});

test('C10 a clock jump changes no deadline and no answer', () => {
  const { W, write } = workspace();
  write('f', 'hi\n');
  const script = `
    const real = Date.now;
    let calls = 0;
    // Forwards and backwards, by turns.
    Date.now = () => real() + [0, 86_400_000, -86_400_000][(calls += 1) % 3];
    const { createOriel } = await import(${JSON.stringify(builtUrl('index.js').href)});
    const oriel = createOriel({ cwd: ${JSON.stringify(W)}, spills: { state: ${JSON.stringify(W)} } });
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push(await oriel.tool('read').run({ path: 'f' }));
    console.log(new Set(answers.map(({ content }) => content[0].text)));
    const ended = await oriel.tool('bash').run({ command: 'sleep 300', timeout: 0.2 });
    console.log(ended.content[0].text);
    const not = await oriel.tool('bash').run({ command: 'sleep 0.3; echo done', timeout: 500 });
    console.log(not.content[0].text);
    await oriel.close();
  `;
  const said = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said.stderr).toBe('');
  expect(said.stdout).toBe("Set(1) { '1|hi\\n' }\nCommand timed out after 0.2 seconds\ndone\n\n");
});
