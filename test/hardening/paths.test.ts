/**
 * @module-tag slow
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mayMount } from '../support/has.ts';
import { codeOf, SECRET, textOf, workspace } from '../support/workspace.ts';
import { exchanging } from '../support/race.ts';
import { racer } from '../support/racer.ts';
import { cli } from '../support/cli.ts';

describe('roots', () => {
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
});

describe('special files', () => {
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
