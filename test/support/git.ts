/** Repositories that real git makes, without the configuration of the machine. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05+0100',
  GIT_COMMITTER_NAME: 'Bob',
  GIT_COMMITTER_EMAIL: 'bob@example.com',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05+0100',
};

/** Runs git in the directory and returns its output as Latin-1. Throws if it fails. */
export function git(directory: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-c', 'gc.auto=0', ...args], {
    cwd: directory,
    env: ENVIRONMENT,
    encoding: 'latin1',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** `line 3\n` and so on, each with the mark. */
export function numberedLines(from: number, to: number, mark = ''): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}${mark}\n`).join('');
}

/** Commits everything in the work tree. */
export function commitAll(directory: string, message: string): void {
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--allow-empty', '--message', message);
}

/** A repository whose only commit has these files in the directory `dir`, made without git. */
export function writeRepository(
  write: (path: string, content: string | Uint8Array) => unknown,
  files: Readonly<Record<string, string>>,
): void {
  const store = (kind: string, body: Uint8Array): Buffer => {
    const bytes = Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]);
    const id = createHash('sha1').update(bytes).digest();
    const name = id.toString('hex');
    write(`.git/objects/${name.slice(0, 2)}/${name.slice(2)}`, deflateSync(bytes, { level: 1 }));
    return id;
  };
  const tree = (mode: string, entries: readonly (readonly [string, Buffer])[]): Buffer =>
    store('tree', Buffer.concat(entries.flatMap(([name, id]) => [Buffer.from(`${mode} ${name}\0`), id])));
  const blobs = Object.entries(files).map(
    ([name, text]) => [name, store('blob', Buffer.from(text))] as const,
  );
  const inner = tree(
    '100644',
    blobs.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const root = tree('40000', [['dir', inner]]);
  const who = 'Ada <ada@example.com> 1767323045 +0100';
  const text = `tree ${root.toString('hex')}\nauthor ${who}\ncommitter ${who}\n\nfirst\n`;
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write('.git/refs/heads/main', `${store('commit', Buffer.from(text)).toString('hex')}\n`);
}
