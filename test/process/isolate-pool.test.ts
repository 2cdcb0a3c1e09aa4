import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type ChildJob, ChildPool, type ChildPoolOptions } from '../../src/process/child-pool.ts';
import { ChildFailure } from '../../src/process/node-child.ts';
import { Queue } from '../../src/queues/queue.ts';
import { ScratchDirectory } from '../../src/session/directories.ts';
import { temporaryFolder } from '../support/open-source.ts';

const MIB = 1 << 20;

/** A child that does what the head says. */
const CODE = `
let parts = [];
process.stdin.on('data', (chunk) => {
  parts.push(chunk);
  const all = Buffer.concat(parts);
  if (all.length < 8) return;
  const [head, body] = [all.readUInt32LE(0), all.readUInt32LE(4)];
  if (all.length < 8 + head + body) return;
  parts = [];
  const asked = JSON.parse(all.toString('utf8', 8, 8 + head));
  if (asked === 'crash') process.abort();
  if (asked === 'killed') process.kill(process.pid, 'SIGKILL');
  if (asked === 'hang') for (;;);
  if (asked === 'memory') { const held = []; for (;;) held.push(Buffer.alloc(8 << 20, 1)); }
  if (asked.keep) (globalThis.kept ??= []).push(Buffer.alloc(asked.keep << 20, 1));
  if (asked.use) Buffer.alloc(asked.use << 20, 1);
  const read = () => { try { require('fs').readFileSync('/etc/hostname'); return 'read'; } catch (error) { return error.code; } };
  const load = () => { try { return require('some-package'); } catch (error) { return error.code; } };
  const spawn = () => { try { require('child_process').spawnSync('true'); return 'spawned'; } catch (error) { return error.code; } };
  const said = { pid: process.pid, loaded: asked === 'load' ? load() : '', env: Object.keys(process.env), access: asked === 'open' ? [read(), spawn()] : [] };
  const json = Buffer.from(JSON.stringify(said));
  const content = asked === 'much' ? Buffer.alloc(8 << 20) : all.subarray(8 + head);
  const front = Buffer.alloc(8);
  front.writeUInt32LE(json.length, 0);
  front.writeUInt32LE(content.length, 4);
  process.stdout.write(Buffer.concat([front, json, content]));
});
process.stdin.on('end', () => process.exit());
process.on('SIGUSR2', () => process.stdout.write('x'));
`;

/** `below`: where the child's code lies; `prepare` gets the directory that holds all. */
async function pool(
  below = '',
  prepare: (root: string) => Promise<void> = async () => undefined,
  options: Partial<ChildPoolOptions> = {},
): Promise<
  (head: string | object, more?: Partial<ChildJob>, signal?: AbortSignal) => ReturnType<ChildPool['run']>
> {
  const root = await temporaryFolder();
  const directory = join(root, below);
  await mkdir(directory, { recursive: true });
  await prepare(root);
  const path = join(directory, 'child.cjs');
  await writeFile(path, CODE);
  const children = new ChildPool({
    entry: () => pathToFileURL(path),
    queue: new Queue('test', 'tests run', { limit: 1, waiting: 10 }),
    idleMs: 3_600_000,
    heapMb: 64,
    keepUpTo: 500 * MIB,
    fresh: 60 * MIB,
    ...options,
  });
  onTestFinished(() => children.close());
  return (head, more = {}, signal = new AbortController().signal) =>
    children.run(
      { head, body: once('body'), bytes: 4, maxOutput: MIB, maxMemory: 500 * MIB, maxMs: 200_000, ...more },
      { signal },
    );
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const pidOf = ({ head }: { head: unknown }): number => (head as { pid: number }).pid;

test.each(['node_modules/oriel/dist', 'node_modules/a/node_modules/oriel/dist'])(
  'a child of a package installed in %s starts confined',
  async (below) => {
    const ask = await pool(below);
    const { head } = await ask('open');
    expect((head as { access: unknown }).access).toEqual(['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
  },
);

test('a child finds packages if node_modules is a symbolic link', async () => {
  const ask = await pool('package/dist', async (root) => {
    const installed = join(root, 'elsewhere', 'installed');
    await mkdir(join(installed, 'some-package'), { recursive: true });
    await writeFile(join(installed, 'some-package', 'index.js'), "module.exports = 'found';");
    await writeFile(join(root, 'package', 'package.json'), '{}');
    await symlink(installed, join(root, 'package', 'node_modules'), 'junction');
  });
  expect((await ask('load')).head).toMatchObject({ loaded: 'found' });
  expect((await ask('open')).head).toMatchObject({ access: ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'] });
});

test('one child does many jobs, without our environment', async () => {
  const ask = await pool();
  const first = await ask('echo');
  const second = await ask('echo');
  expect(first.body.toString()).toBe('body');
  expect(pidOf(second)).toBe(pidOf(first));
  expect((first.head as { env: string[] }).env).toEqual(['MALLOC_ARENA_MAX', 'TZ']);
});

test('it opens no file and starts no process', async () => {
  const ask = await pool();
  expect((await ask('open')).head).toMatchObject({ access: ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'] });
});

test.each([
  ['crash', {}, 'crashed'],
  ['killed', {}, 'ended'],
  ['hang', { maxMs: 300 }, 'slow'],
  ['memory', { maxMemory: 150 * MIB }, 'memory'],
  ['much', {}, 'output'],
] as const)(
  '%s: one failure, then another child does the next job',
  { tags: 'slow' },
  async (head, more, why) => {
    const ask = await pool();
    const before = pidOf(await ask('echo'));
    const failure = await ask(head, more).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ChildFailure);
    expect((failure as ChildFailure).why).toBe(why);
    expect(pidOf(await ask('echo'))).not.toBe(before);
  },
);

test('what a job leaves is not counted against the next', { tags: 'slow' }, async () => {
  const ask = await pool();
  const most = { maxMemory: 150 * MIB };
  await ask({ use: 60 }, most);
  const before = await ask({ keep: 100 });
  expect(pidOf(await ask({ use: 60 }, most))).toBe(pidOf(before));
  // It is the job itself that takes too much.
  await expect(ask({ use: 300 }, most)).rejects.toThrow(/memory/);
});

test('a cancelled job ends with the reason and its child', { tags: 'slow' }, async () => {
  const ask = await pool();
  const controller = new AbortController();
  const job = ask('hang', {}, controller.signal);
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await expect(job).rejects.toThrow('enough');
  expect((await ask('echo')).body.toString()).toBe('body');
});

test('a large reply is in a file, others in memory', async () => {
  const ask = await pool();
  const scratch = new ScratchDirectory();
  onTestFinished(() => scratch.remove());
  const more = { maxOutput: 20 * MIB, aside: { over: MIB, open: () => scratch.file() } };
  const small = await ask('echo', more);
  expect({ ...small, head: 0 }).toEqual({ head: 0, body: Buffer.from('body') });
  const { body, file } = await ask('much', more);
  expect(body.length).toBe(0);
  expect(file?.bytes).toBe(8 * MIB);
  const end = Buffer.alloc(100, 1);
  expect(await file?.readInto(end, 8 * MIB - 50)).toBe(50);
  expect(end.subarray(0, 50)).toEqual(Buffer.alloc(50));
  await file?.close();
});

test('a reply that cannot be written fails only its job', { tags: 'slow' }, async () => {
  const ask = await pool();
  const full = new Error('no space left');
  const files: string[] = [];
  const file = {
    fd: -1,
    append: () => Promise.reject(full),
    readInto: () => Promise.resolve(0),
    close: () => Promise.resolve(void files.push('closed')),
  };
  for (const open of [() => Promise.reject(full), () => Promise.resolve(file)])
    await expect(ask('much', { maxOutput: 20 * MIB, aside: { over: MIB, open } })).rejects.toBe(full);
  expect(files).toEqual(['closed']);
  expect((await ask('echo')).body.toString()).toBe('body');
});

const pooled = (options: Partial<ChildPoolOptions>): ReturnType<typeof pool> =>
  pool('', async () => undefined, options);

/** Whether the process still runs; one that has ended and was not waited for does not. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each<[string, Partial<ChildPoolOptions>]>([
  ['whose reply says so', { keeps: (head) => (head as { loaded: string }).loaded !== '' }],
  ['that is too large', { keepUpTo: 1 * MIB }],
  ['that is idle for its time', { idleMs: 1 }],
])('a child %s is ended and not used again', { tags: 'slow' }, async (_, options) => {
  const ask = await pooled(options);
  const before = pidOf(await ask('echo'));
  await expect.poll(() => lives(before)).toBe(false);
  expect(pidOf(await ask('echo'))).not.toBe(before);
});

test('a child that writes without being asked is ended and not used again', async () => {
  const ask = await pool();
  const before = pidOf(await ask('echo'));
  // Its answer was taken: what is written now belongs to no job.
  process.kill(before, 'SIGUSR2');
  await expect.poll(() => lives(before)).toBe(false);
  expect(pidOf(await ask('echo'))).not.toBe(before);
});
