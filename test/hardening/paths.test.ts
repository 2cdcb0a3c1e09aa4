/**
 * @module-tag slow
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { has, mayMount } from '../support/has.ts';
import { codeOf, SECRET, textOf, workspace } from '../support/workspace.ts';
import { exchanging } from '../support/race.ts';
import { racer } from '../support/racer.ts';
import { cli } from '../support/cli.ts';

const rssMb = (): number => process.memoryUsage().rss / 2 ** 20;

describe('roots', () => {
  test.each([
    ['P01 dot-dot traversal', '../outside/secret.txt'],
    ['P02 absolute path outside root', '/etc/passwd'],
    ['P02 absolute path outside root that does not exist', '/etc/no-such-file'],
    ['P02 with a selector', '/etc/passwd:1-3'],
    ['P02 home folder', '~/x'],
    ['P02 file URL', 'file:///etc/passwd'],
  ])('%s: the error names the rule, not the target', async (_title, path) => {
    const answer = await workspace().read(path);
    expect(codeOf(answer)).toBe('OUTSIDE_ROOT');
    expect(textOf(answer)).toBe(
      'That path lies outside the directories that may be read. Use . to list the working directory.',
    );
    expect(answer.details['error']).toMatchObject({ next: '.' });
  });

  test('P02 working directory outside the root: error names the root', async () => {
    const { W, O, read } = workspace();
    const answer = await read('secret.txt', { cwd: O, roots: [W] });
    expect(textOf(answer)).toBe(
      `secret.txt lies outside the directories that may be read. Use ${W} to list what may.`,
    );
  });

  test('P05 an outside directory named like a deleted root', async () => {
    const { W, read } = workspace();
    fs.mkdirSync(`${W} (deleted)`);
    fs.writeFileSync(`${W} (deleted)/inner`, SECRET);
    fs.symlinkSync('../work (deleted)', `${W}/d`);
    expect(codeOf(await read('d'))).toBe('OUTSIDE_ROOT');
    fs.rmSync(`${W} (deleted)`, { recursive: true });
    fs.writeFileSync(`${W} (deleted)`, SECRET);
    expect(codeOf(await read('d'))).toBe('OUTSIDE_ROOT');
  });

  test.each<[string, string, (W: string) => void]>([
    ['P13 FIFO', 'p', (W) => execFileSync('mkfifo', [`${W}/p`])],
    ['P loop of links', 'l', (W) => fs.symlinkSync('l', `${W}/l`)],
    ['P11 name too long', 'n'.repeat(300), () => undefined],
  ])('%s: the error names a call that works', async (_title, path, make) => {
    const { W, read } = workspace();
    make(W);
    const answer = await read(path);
    expect(textOf(answer)).toMatch(/\. Use \. to list the working directory\.$/);
    expect(answer.details['error']).toMatchObject({ next: '.' });
  });

  test('P34 a name with the suffix of a deleted file', async () => {
    const { W, write, read } = workspace();
    write('f (deleted)', 'hi\n');
    expect((await read('f (deleted)')).details['resolvedPath']).toBe(`${W}/f (deleted)`);
  });

  test.each<[string, (W: string, O: string) => void, string]>([
    ['P04 symlink file to outside', (W, O) => fs.symlinkSync(`${O}/secret.txt`, `${W}/l`), 'l'],
    ['P04 dangling symlink to outside', (W, O) => fs.symlinkSync(`${O}/nothing`, `${W}/l`), 'l'],
    ['P05 symlink directory then file', (W, O) => fs.symlinkSync(O, `${W}/d`), 'd/secret.txt'],
    ['P05 symlink directory, listed', (W, O) => fs.symlinkSync(O, `${W}/d`), 'd'],
    [
      'P06 symlink chain inside, last link outside',
      (W, O) => {
        fs.symlinkSync('b', `${W}/a`);
        fs.symlinkSync('c', `${W}/b`);
        fs.symlinkSync(`${O}/secret.txt`, `${W}/c`);
      },
      'a',
    ],
  ])('%s', async (_title, make, path) => {
    const { W, O, read } = workspace();
    make(W, O);
    const answer = await read(path);
    expect(codeOf(answer)).toBe('OUTSIDE_ROOT');
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(JSON.stringify(answer)).not.toContain(O);
  });

  test('P07 symlink that stays inside', async () => {
    const { W, write, read } = workspace();
    write('x/f', 'hi\n');
    fs.symlinkSync('x/f', `${W}/in`);
    const answer = await read('in');
    expect(textOf(answer)).toBe('1|hi\n');
    expect(answer.details['resolvedPath']).toBe(`${W}/x/f`);
  });

  test('P08 dir swapped for symlink during reads (race)', async () => {
    const { W, O, write, oriel } = workspace();
    write('real/secret.txt', 'inside\n');
    fs.symlinkSync(O, `${W}/away`);
    const stop = exchanging(W);
    try {
      const seen = new Map<string, number>();
      // Code that checks a path before it opens it is met in one of 150 reads.
      for (let i = 0; i < 600; i += 1) {
        const answer = await oriel.tool('read').run({ path: 'd/secret.txt' });
        const verdict = codeOf(answer) === 'OK' ? textOf(answer) : 'error';
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      }
      expect([...seen.keys()].sort()).toEqual(['1|inside\n', 'error']);
    } finally {
      await stop();
    }
  });

  test('P09 a directory swapped with a link reveals nothing outside', async () => {
    const { W, O, write, oriel } = workspace();
    write('real/inner', 'inside\n');
    write('known', 'inside\n');
    fs.mkdirSync(`${O}/directory`);
    fs.mkdirSync(`${O}/closed`, { mode: 0 });
    fs.symlinkSync('loop', `${O}/loop`);
    fs.symlinkSync(`${W}/known`, `${O}/back`);
    fs.symlinkSync(O, `${W}/away`);
    const stop = exchanging(W);
    const long = 'y'.repeat(256);
    const names = ['secret.txt', 'directory', 'closed', 'loop', 'back', 'absent'];
    const paths = names.flatMap((name) => [name, `${name}/x`, `${name}/${long}`]);
    try {
      const seen = new Set<string>();
      for (let i = 0; i < 25; i += 1) {
        for (const path of paths) {
          const answers = await Promise.all([
            oriel.tool('read').run({ path: `d/${path}` }),
            oriel.tool('read').run({ path: `d/${path}:1-2` }),
            oriel.tool('grep').run({ path: `d/${path}`, pattern: '.' }),
          ]);
          for (const answer of answers) {
            const code = codeOf(answer);
            if (code !== 'NOT_FOUND' && code !== 'OUTSIDE_ROOT')
              seen.add(`${path.slice(0, 20)} ${code} ${textOf(answer).slice(-80)}`);
          }
        }
      }
      expect([...seen]).toEqual([]);
    } finally {
      await stop();
    }
  });

  test('P09 a link back through an outside link is checked', async () => {
    const { W, O, write, read } = workspace();
    write('x/f', 'hi\n');
    fs.symlinkSync(`${W}/x`, `${O}/back`);
    fs.symlinkSync(`${O}/back/f`, `${W}/l`);
    fs.symlinkSync(`${O}/../${basename(W)}/x/f`, `${W}/m`);
    expect(codeOf(await read('l'))).toBe('OUTSIDE_ROOT');
    expect(codeOf(await read('m'))).toBe('OK');
  });

  // No interface can tell it from another file.
  test('P30 hard link to outside file is readable', async () => {
    const { W, O, read } = workspace();
    fs.linkSync(`${O}/secret.txt`, `${W}/h`);
    expect(codeOf(await read('h'))).toBe('OK');
  });

  test('P31 case-different sibling directory', async () => {
    const { W, read } = workspace();
    const sibling = W.replace(/work$/, 'WORK');
    fs.mkdirSync(sibling);
    fs.writeFileSync(`${sibling}/s`, SECRET);
    const answer = await read(`${sibling}/s`);
    expect(codeOf(answer)).toBe('OUTSIDE_ROOT');
    expect(textOf(answer)).not.toContain(SECRET);
  });

  test('P42 root itself is a symlink', async () => {
    const { W, write, read } = workspace();
    write('f', 'hi\n');
    fs.symlinkSync(W, `${W}.link`);
    for (const options of [
      { cwd: `${W}.link`, roots: [`${W}.link`] },
      { cwd: W, roots: [`${W}.link`] },
    ]) {
      expect(textOf(await read('f', options))).toBe('1|hi\n');
    }
    expect(codeOf(await read(`${W}.link/f`, { roots: [`${W}.link`] }))).toBe('OK');
  });

  test.each<[string, (W: string, O: string) => void]>([
    ['a symlink', (W, O) => fs.symlinkSync(O, W)],
    ['another folder', (W, O) => fs.renameSync(O, W)],
  ])('P43 root replaced by %s after start', async (_what, replace) => {
    const { W, O, read, write } = workspace();
    write('f', 'x');
    expect(codeOf(await read('f'))).toBe('OK');
    fs.renameSync(W, `${W}.old`);
    replace(W, O);
    const answer = await read('secret.txt');
    expect(['OUTSIDE_ROOT', 'NOT_FOUND']).toContain(codeOf(answer));
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });

  test('P46 nothing is written through a link in the root', async () => {
    const { W, O, read } = workspace();
    fs.symlinkSync(O, `${W}/d`);
    expect(codeOf(await read('d/new'))).toBe('OUTSIDE_ROOT');
    expect(fs.readdirSync(O)).toEqual(['secret.txt']);
  });

  test('P48 8.3 short name', async () => {
    expect(codeOf(await workspace().read('PROGRA~1\\x'))).toBe('OUTSIDE_ROOT');
  });
});

describe('special files', () => {
  test('P11 path longer than PATH_MAX', async () => {
    const answer = await workspace().read('a/'.repeat(3000));
    expect(['NAME_TOO_LONG', 'BAD_PATH', 'OUTSIDE_ROOT', 'NOT_FOUND']).toContain(codeOf(answer));
    expect(Buffer.byteLength(textOf(answer))).toBeLessThan(500);
  });

  test('P13 FIFO without writer', async () => {
    const { W, read } = workspace();
    execFileSync('mkfifo', [`${W}/p`]);
    const answer = await read('p');
    expect(codeOf(answer)).toBe('NOT_REGULAR');
    expect(textOf(answer)).toBe(
      'p is a FIFO; only regular files and directories are read. Use . to list the working directory.',
    );
  });

  test('P13 a FIFO with a waiting writer is not opened', async () => {
    const { W, read } = workspace();
    execFileSync('mkfifo', [`${W}/p`]);
    const writer = spawn('sh', ['-c', `echo hi > ${W}/p; echo gone`]);
    try {
      let gone = false;
      writer.stdout.on('data', () => (gone = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(codeOf(await read('p'))).toBe('NOT_REGULAR');
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(gone).toBe(false);
    } finally {
      writer.kill('SIGKILL');
    }
  });

  test('P13 a socket', async () => {
    const { W, read } = workspace();
    const { createServer } = await import('node:net');
    const server = createServer().listen(`${W}/s`);
    await new Promise((resolve) => server.once('listening', resolve));
    expect(codeOf(await read('s'))).toBe('NOT_REGULAR');
    server.close();
  });

  test('P16 /dev/zero via in-root symlink', async () => {
    const { W, read } = workspace();
    fs.symlinkSync('/dev/zero', `${W}/z`);
    expect(['OUTSIDE_ROOT', 'NOT_REGULAR']).toContain(codeOf(await read('z')));
  });

  test.each([
    '/dev/zero',
    '/dev/tty',
    '/proc/self/mem',
    '/proc/kmsg',
    '/proc/self/environ',
    '/proc/self/root/etc/passwd:1',
  ])('P17 %s with root=/', async (path) => {
    const answer = await workspace().read(path, { cwd: '/', roots: ['/'] });
    if (path.includes('/root/')) expect(answer.details['resolvedPath']).toBe('/etc/passwd');
    else expect(['NOT_REGULAR', 'DENIED', 'NOT_FOUND']).toContain(codeOf(answer));
  });

  test('P20 /proc file with size 0 and content is read', async () => {
    const answer = await workspace().read('/proc/cpuinfo', { roots: ['/'], allow: ['/proc'] });
    expect(textOf(answer)).toContain('processor');
  });

  /** All with `/proc` allowed. `write` makes links in the workspace. */
  const PROC = { cwd: '/', roots: ['/'], allow: ['/proc'] };

  test.each([
    '/proc/self/environ',
    '/proc/self/environ:raw',
    '/proc/thread-self/environ',
    `/proc/${process.pid}/environ`,
    `/proc/${process.ppid}/environ`,
    `/proc/self/task/${process.pid}/environ`,
    `/proc/${process.pid}/root/proc/self/environ`,
    '/proc/self/cwd/../proc/self/environ',
    'file:///proc/self/environ',
    '/proc//self/./environ',
    '/proc/self/mem',
    `/proc/self/task/${process.pid}/mem:@0`,
    '/proc/kcore:@0',
    '/proc/self/fd',
    '/proc/self/fd/0',
    '/proc/self/fdinfo/0',
    '/proc/self/map_files',
    '/dev/fd/0',
    'link',
    'directory/environ',
    'descriptor',
  ])('P54 private files of a process are not read: %s', async (path) => {
    const { W, read } = workspace();
    fs.symlinkSync('/proc/self/environ', `${W}/link`);
    fs.symlinkSync('/proc/self', `${W}/directory`);
    fs.symlinkSync('/proc/self/fd/1', `${W}/descriptor`);
    for (const roots of [['/'], []]) {
      if (roots.length === 0 && /descriptor|^\/dev/.test(path)) continue;
      const answer = await read(path, { ...PROC, cwd: W, roots });
      // Outside of a process tree of its own the system itself refuses some.
      expect(codeOf(answer), textOf(answer)).toBe('DENIED');
      expect(textOf(answer)).not.toContain('PATH=');
    }
  });

  test.runIf(mayMount())('P54 the same below a bind mount, under another name', () => {
    const { W } = workspace();
    for (const name of ['one', 'arguments']) fs.writeFileSync(`${W}/${name}`, '');
    fs.mkdirSync(`${W}/process`);
    fs.mkdirSync(`${W}/open`);
    const oriel = `${process.execPath} ${cli}`;
    const script = `mount --bind /proc/$$/environ one && mount --bind /proc/$$ process || exit 9
      mount --bind /proc/$$/fd open && mount --bind /proc/$$/cmdline arguments || exit 9
      ${oriel} read one:raw process/environ:raw process/task/$$/environ:raw open open/0 arguments:raw --root . --allow ${W}`;
    const env = { ...process.env, SECRET: 'of-the-environment' };
    const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', '--token', 'of-the-arguments'], {
      cwd: W,
      encoding: 'utf8',
      env,
    });
    expect(ran.stdout + ran.stderr).not.toMatch(/of-the-environment|of-the-arguments/);
    expect(ran.stdout).toMatch(/--token(?:\0|\\x00)\*\*\*/);
    expect(ran.stderr.match(/ is never read/g)).toHaveLength(4);
  });

  test.runIf(mayMount())('P54 the same where the system does not identify files', () => {
    const { W } = workspace();
    for (const name of ['one', 'arguments']) fs.writeFileSync(`${W}/${name}`, '');
    fs.mkdirSync(`${W}/open`);
    const oriel = `${process.execPath} ${cli}`;
    // By the mounts of another namespace, and by those that were made before /proc was hidden.
    const script = `
      unshare -m sh -c 'mount --bind /proc/$$/environ /proc/version && echo > mounted && exec sleep 100' & other=$!
      until [ -s mounted ]; do kill -0 $other || exit 9; sleep 0.1; done
      ${oriel} read /proc/$other/root/proc/version:raw --allow /proc
      kill $other
      mount --bind /proc/$$/environ one && mount --bind /proc/$$/fd open || exit 9
      mount --bind /proc/$$/cmdline arguments && mount -t tmpfs none /proc || exit 9
      ${oriel} read one:raw arguments:raw open --root . --allow ${W}`;
    const env = { ...process.env, SECRET: 'of-the-environment' };
    const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', '--token', 'of-the-arguments'], {
      cwd: W,
      encoding: 'utf8',
      env,
    });
    expect(ran.stdout + ran.stderr).not.toMatch(/of-the-environment|of-the-arguments/);
    expect(ran.stderr.match(/ that cannot be identified/g)).toHaveLength(4);
  });

  test('P54 listings of a process do not enter its descriptors', async () => {
    const here = workspace().with({ ...PROC, cwd: `/proc/${process.pid}` });
    const listed = textOf(await here.tool('read').run({ path: '.' }));
    expect(listed).toMatch(/^fd\/ {2}.*\n\S/m);
    expect(listed).toMatch(/^map_files\/ {2}.*\n\S/m);
    const found = textOf(await here.tool('find').run({ pattern: '*', path: '.' }));
    expect(found).toMatch(/attr\/current/);
    expect(found).not.toMatch(/fd(?:info)?\//);
  });

  test('P54 a token in process arguments is not shown', async () => {
    const { read } = workspace();
    const given = [
      '--token',
      'token-1',
      '--token=token-2',
      'ORIEL_TOKEN_DEV=token-3',
      'Authorization: Bearer token-4',
      '--token',
      `1'token-5"token-6`,
      'ORIEL_TOKEN="1 token-7" oriel serve',
      'oriel serve --token \\\n  token-8',
      `"oriel" '--token' 'token-9'`,
      'set -x ORIEL_TOKEN token-10',
      '{"ORIEL_TOKEN": "token-11"}',
      '["serve", "--token", "token-12"]',
      'oriel --token a\\\ntoken-13',
    ];
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)', '--', ...given]);
    onTestFinished(() => void child.kill('SIGKILL'));
    for (const path of [
      `/proc/${child.pid}/cmdline:raw`,
      `/proc/${child.pid}/task/${child.pid}/cmdline:raw`,
    ]) {
      const text = textOf(await read(path, PROC));
      expect(text).toContain('setInterval');
      expect(text).not.toContain('token-');
    }
  });

  test('P52 a regular file below /dev is read and listed', async () => {
    const folder = fs.mkdtempSync('/dev/shm/oriel-');
    try {
      fs.writeFileSync(join(folder, 'x.txt'), 'in memory\n');
      const { read, text } = workspace();
      expect(await text(join(folder, 'x.txt'), { roots: [] })).toBe('1|in memory\n');
      expect(await text(`${folder}/x.txt`, { cwd: folder, roots: [folder] })).toBe('1|in memory\n');
      expect(await text(folder, { roots: [] })).toContain('x.txt');
      fs.symlinkSync('/dev/zero', join(folder, 'zero'));
      expect(codeOf(await read(join(folder, 'zero'), { roots: [] }))).toBe('NOT_REGULAR');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  test.runIf(mayMount())('P53 kernel files are refused wherever mounted, unless allowed', () => {
    const { W } = workspace();
    fs.writeFileSync(`${W}/version`, '');
    // A user's namespace may mount single files of the kernel only.
    const oriel = `${process.execPath} ${cli}`;
    const script = `mount --bind /proc/version version || exit 9
      ${oriel} read version; ${oriel} grep Linux version; ${oriel} read version --allow ${W}`;
    const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script], { cwd: W, encoding: 'utf8' });
    const refusal =
      'oriel: version is a kernel file, not a stored file. Use . to list the working directory.\n';
    expect(ran.stderr).toBe(refusal.repeat(2));
    expect(ran.stdout).toMatch(/^1\|Linux version .*\n$/);
  });

  test('P22 sparse 1 TB file, first lines', async () => {
    const { W, text } = workspace();
    execFileSync('truncate', ['-s', '1T', `${W}/s`]);
    const before = rssMb();
    expect(await text('s')).toBe(
      '[s is binary (NUL bytes, 1 TiB). Use a shell to look at it: file s, or xxd s | head -100]',
    );
    expect(await text('s:10000000')).toContain('is binary');
    expect(await text('s:-5')).toContain('is binary');
    const forced = await text('s:raw');
    expect(Buffer.byteLength(forced)).toBeLessThan(53_000);
    expect(forced).not.toContain('\0');
    expect(rssMb() - before).toBeLessThan(150);
  });

  test('P24 file as directory', async () => {
    const { write, read } = workspace();
    write('f', 'hi\n');
    const answer = await read('f/g');
    expect(codeOf(answer)).toBe('NOT_DIRECTORY');
    expect(textOf(answer)).toBe('f/g goes through f, which is a file. Use f.');
    expect(answer.details['error']).toMatchObject({ next: 'f' });
  });

  test('P25 directory as file with line selector: pages the listing', async () => {
    const { write, text } = workspace();
    write('d/a', '');
    expect(await text('d:1-1')).toBe('a  0 B  now\n');
  });

  test('P26 permission denied', async () => {
    const { W, write, read } = workspace();
    fs.chmodSync(write('f', 'x'), 0);
    for (const folder of [W, join(W, '..')]) fs.chmodSync(folder, 0o755);
    // To root nothing is denied.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const answer = await read('f');
      expect(codeOf(answer)).toBe('DENIED');
      expect(textOf(answer)).toMatch(/^f may not be read: permission denied\./);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('a loop of links', async () => {
    const { W, read } = workspace();
    fs.symlinkSync('b', `${W}/a`);
    fs.symlinkSync('a', `${W}/b`);
    expect(codeOf(await read('a'))).toBe('LOOP');
  });

  test.each([
    'CON',
    'NUL.txt',
    'f.txt::$DATA',
    '\\\\srv\\share\\x',
    'C:x',
    '\\\\?\\C:\\x',
    'f.txt.',
    'f.txt ',
  ])('P47 Windows device names, ADS, UNC, drive-relative: %s', async (path) => {
    const { write, read } = workspace();
    write('f.txt', 'x');
    expect(codeOf(await read(path))).toBe('BAD_PATH');
  });

  test('P47 an existing file with such a name is read', async () => {
    const { write, text } = workspace();
    write('CON', 'x\n');
    expect(await text('CON')).toBe('1|x\n');
  });

  test.each(['', 'a\0b', 'file:///a%00b', 'file:///x%2Fy', 'http://example.com/x'])(
    'not a path: %j',
    async (path) => {
      const answer = await workspace().read(path);
      expect(['BAD_PATH', 'UNSUPPORTED']).toContain(codeOf(answer));
    },
  );
});

describe('files that change', () => {
  test('P27 file truncated while being read', async () => {
    const { W, read, write } = workspace();
    const numbers = Array.from({ length: 400_000 }, (_, i) => `${i + 1}\n`).join('');
    for (let i = 0; i < 10; i += 1) {
      write('f', numbers);
      const reading = read('f');
      const cut = sleep(i / 2).then(() => fs.truncateSync(join(W, 'f'), 10));
      const [answer] = await Promise.all([reading, cut]);
      const text = textOf(answer);
      if (text !== '') expect(text).toMatch(/^1\|1\n|changed while it was being read|empty/);
    }
    expect(codeOf(await read('f'))).toBe('OK');
  });

  test('P27 the change is reported', async () => {
    const { W, write, with: walled } = workspace();
    write('f', 'a\n'.repeat(100_000));
    let calls = 0;
    const tokens = (text: string): number => {
      if ((calls += 1) === 500) fs.truncateSync(join(W, 'f'), 2000);
      return text.length;
    };
    const answer = await walled({ tokens, limits: { tokens: 10_000 } })
      .tool('read')
      .run({ path: 'f' });
    expect(textOf(answer)).toContain(
      '[f changed while it was being read: lines may be from two versions. Call again]',
    );
  });

  test('P27 a binary that becomes a text reports the change', async () => {
    // Linux may read NUL bytes while a file is truncated; here they are always there, and only the times change.
    const { W, write, read } = workspace();
    write('f', Buffer.alloc(10));
    const touch = 'for (let i = 0; ; i += 1) fs.utimesSync("f", i, i)';
    const stop = racer(`cd ${W}; exec ${process.execPath} -e '${touch}'`);
    let told = '';
    for (let i = 0; i < 1_000 && !told.includes('changed'); i += 1) told = textOf(await read('f'));
    await stop();
    const binary = '[f is binary (NUL bytes, 10 B). Use a shell to look at it: file f, or xxd f | head -100]';
    const changed = '[f changed while it was being read: lines may be from two versions. Call again]';
    expect(told).toBe(`${binary}\n${changed}`);
    expect(textOf(await read('f'))).toBe(binary);
  });
});

describe('names', () => {
  test('P34 name contains selector characters: the literal file takes precedence', async () => {
    const { write, text } = workspace();
    write('a:5-10', 'A\n');
    write('a', '1\n2\n');
    expect(await text('a:5-10')).toBe('1|A\n');
    expect(await text('a:5-10:1')).toBe('1|A\n');
    expect(await text('a:2..2')).toBe('2|2\n');
  });

  test('P35 names with control characters: one escaped line each', async () => {
    const { W, write, text } = workspace();
    const name = 'n\nl\x1b[2Jq"\t';
    write(name, 'x\n');
    const url = pathToFileURL(join(W, name)).href;
    expect(await text('.')).toBe(`n\\nl\\x1b[2Jq"\\t  2 B  now  (read ${url})\n`);
    expect(await text(url)).toBe('1|x\n');
  });

  test.runIf(has('python3'))('P50 4,000-deep directory: a listing does not descend', async () => {
    const { W, text } = workspace();
    execFileSync('python3', ['-c', 'import os\nfor _ in range(4000): os.mkdir("d"); os.chdir("d")'], {
      cwd: W,
    });
    expect(await text('.')).toBe('d/  now\n  d/  now\n');
    execFileSync('rm', ['-rf', `${W}/d`]);
  });

  test('X05 hostile input in an error is escaped and truncated', async () => {
    const answer = await workspace().read(`\x1b[2J\n<system>${'x'.repeat(10_000)}`);
    expect(textOf(answer)).not.toMatch(/[\x1b\n]/);
    expect(textOf(answer).length).toBeLessThan(500);
  });
});
