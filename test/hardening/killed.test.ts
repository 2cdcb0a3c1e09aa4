/**
 * What becomes of commands when oriel itself is ended in a way that it cannot notice, through every face.
 *
 * @module-tag slow
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { built, builtUrl } from '../support/built.ts';
import { living, temporaryFolder } from '../support/commands.ts';
import { docx, paragraph } from '../support/documents.ts';
import { makePng } from '../support/images.ts';
import { server } from '../support/server.ts';

const cli = built('faces/cli/main.js');

/** Each says `ready` when all of its processes run; MARK is what their command lines hold. */
const COMMANDS = {
  'a sleeping command': 'echo ready; sleep MARK.1',
  'a pipeline': 'echo ready; sleep MARK.1 | sleep MARK.2 | cat',
  'processes in the background': 'sleep MARK.1 & sleep MARK.2 & echo ready; wait',
  'other sessions':
    'setsid sleep MARK.1 & setsid -w sh -c "sleep MARK.2; :" & sleep 0.2; echo ready; sleep MARK.3',
  'a double fork':
    '(setsid nohup sleep MARK.1 > /dev/null 2>&1 &); (sleep MARK.2 &); sleep 0.2; echo ready; wait; sleep MARK.3',
  'signals ignored': 'trap "" TERM INT HUP PIPE; (trap "" TERM HUP; sleep MARK.1) & echo ready; sleep MARK.2',
  'a stopped process':
    'sleep MARK.1 & kill -STOP $!; setsid sleep MARK.2 & sleep 0.2; echo ready; sleep MARK.3',
  'no environment, in the session':
    'env -i "$(command -v sleep)" MARK.1 & sleep 0.2; echo ready; sleep MARK.2',
  'no environment, in a session of its own':
    'setsid -w env -i "$(command -v sleep)" MARK.1 & sleep 0.2; echo ready; sleep MARK.2',
  'a tree that grows': 'echo ready; while :; do setsid sleep MARK.1 & sleep 0.02; done',
  'a flood of output': 'echo ready; setsid sleep MARK.1 & yes MARK.2',
  'a name with a parenthesis and a line break': `cp "$(command -v sleep)" $'a) Z\\nb'; setsid $'./a) Z\\nb' MARK.1 & sleep 0.2; echo ready; sleep MARK.2`,
} as const;

const KILLS: Record<string, (pid: number) => void> = {
  SIGKILL: (pid) => process.kill(pid, 'SIGKILL'),
  SIGABRT: (pid) => process.kill(pid, 'SIGABRT'),
  SIGSEGV: (pid) => process.kill(pid, 'SIGSEGV'),
};

let marks = 0;

/** Unlike any other process of this machine. */
function marked(command: string): { mark: string; command: string } {
  const mark = `76${process.pid}${(marks += 1)}`;
  return { mark, command: command.replaceAll('MARK', mark) };
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < 100_000; waited += 20) {
    if (holds()) return true;
    await sleep(20);
  }
  return holds();
}

async function expectNothingLeft(mark: string): Promise<void> {
  await until(() => living(mark).length === 0);
  expect(living(mark)).toEqual([]);
}

/** A host that runs `commands` in its own process and prints `ready` when each of them has said so. */
function host(commands: readonly string[], more = ''): ChildProcess {
  const script = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const bash = createOriel({ cwd: ${JSON.stringify(temporaryFolder())}, spills: { state: ${JSON.stringify(temporaryFolder())} } }).tool('bash');
    let ready = 0;
    for (const command of ${JSON.stringify(commands)}) {
      let said = false;
      bash.run({ command }, { onProgress({ tail }) {
        if (said || !tail?.includes('ready') && !tail?.includes('76')) return;
        said = true;
        if ((ready += 1) === ${commands.length}) { console.log('ready'); ${more} }
      } });
    }
  `;
  const child = spawn(process.execPath, ['--max-old-space-size=40', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test.each(Object.keys(KILLS))('J01 %s of a host with all of them concurrently', async (signal) => {
  const all = Object.values(COMMANDS).map(marked);
  const child = host(all.map(({ command }) => command));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  for (const { mark, command } of all) expect([command, living(mark)]).not.toEqual([command, []]);
  KILLS[signal]?.(child.pid as number);
  for (const { mark } of all) await expectNothingLeft(mark);
});

test('J01 out of memory', async () => {
  const { mark, command } = marked(COMMANDS['other sessions']);
  const child = host(
    [command],
    'const held = []; for (;;) held.push(Array.from({ length: 1000 }, () => ({})));',
  );
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(code === 0 && signal === null).toBe(false);
  await expectNothingLeft(mark);
});

test('J01 only running commands are watched', async () => {
  const { mark, command } = marked(COMMANDS['a double fork']);
  const other = marked('MARK.1');
  // Not a descendant of any command, though it has the id of none and the environment of the host.
  const bystander = spawn('sleep', [other.command], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const script = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const bash = createOriel({ spills: { state: ${JSON.stringify(temporaryFolder())} } }).tool('bash');
    for (const wait of [0, 0, 700]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      await bash.run({ command: 'echo one' });
    }
    await bash.run({ command: ${JSON.stringify(command)} }, { onProgress: () => process.kill(process.pid, 'SIGKILL') });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  await once(child, 'exit');
  await expectNothingLeft(mark);
  expect(living(other.mark).length).toBeGreaterThan(0);
});

test('J02 SIGKILL of oriel bash', async () => {
  const { mark, command } = marked(COMMANDS['other sessions']);
  const child = spawn(process.execPath, [cli, 'bash', '--cwd', temporaryFolder(), command], {
    stdio: 'ignore',
  });
  expect(await until(() => living(mark).filter((line) => line.startsWith('sleep')).length >= 3)).toBe(true);
  child.kill('SIGKILL');
  await expectNothingLeft(mark);
});

test('J02 SIGKILL of oriel serve', async () => {
  const { mark, command } = marked(COMMANDS['a double fork']);
  const running = await server(['--cwd', temporaryFolder(), '--allow-bash']);
  const calls = [1, 2, 3].map(() => running.post('/api/v0/tools/bash', { command }).catch(() => undefined));
  expect(await until(() => living(`sleep ${mark}.3`).length >= 3)).toBe(true);
  running.kill('SIGKILL');
  await Promise.all(calls);
  await expectNothingLeft(mark);
});

test('J02 SIGKILL of oriel mcp', async () => {
  const { mark, command } = marked(COMMANDS['other sessions']);
  const child = spawn(process.execPath, [cli, 'mcp', '--allow-bash'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: temporaryFolder(),
  });
  const send = (message: object): boolean =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'bash', arguments: { command } } });
  expect(await until(() => living(mark).filter((line) => line.startsWith('sleep')).length >= 3)).toBe(true);
  child.kill('SIGKILL');
  await expectNothingLeft(mark);
});

test('J02 oriel inside oriel ends with the outer one', async () => {
  const inner = marked('setsid sleep MARK.1 & sleep MARK.2');
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'inner.sh'), inner.command);
  const command = `${process.execPath} ${cli} bash 'sh inner.sh; :'`;
  const child = spawn(process.execPath, [cli, 'bash', '--cwd', folder, command], { stdio: 'ignore' });
  expect(await until(() => living(inner.mark).filter((line) => line.startsWith('sleep')).length >= 2)).toBe(
    true,
  );
  child.kill('SIGKILL');
  await expectNothingLeft(inner.mark);
});

/** Each computes for long without reading or writing: it would not notice by itself. */
const HELPERS: Record<string, { args: string[]; is: RegExp; make: (at: string) => void }> = {
  'ripgrep over one file': {
    args: ['grep', 'needle|x{40}y', 'large.log'],
    is: /^\S*\/rg\0/,
    make: (at) => {
      writeFileSync(join(at, 'large.log'), 'a line of text\n'.repeat(10_000));
      truncateSync(join(at, 'large.log'), 200 * 2 ** 30);
    },
  },
  'the decoder of an image': {
    args: ['read', 'image.png', '--json'],
    is: /decode-child/,
    make: (at) => writeFileSync(join(at, 'image.png'), makePng(2_000, 1_500)),
  },
  'the converter of a document': {
    args: ['read', 'document.docx'],
    is: /convert-child/,
    make: (at) => writeFileSync(join(at, 'document.docx'), docx(paragraph('some words'))),
  },
};

test.each(Object.keys(HELPERS))('J03 SIGKILL of oriel: %s ends with it', async (name) => {
  const { args, is, make } = HELPERS[name] as (typeof HELPERS)[string];
  const folder = temporaryFolder();
  make(folder);
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const childLike = async (is: RegExp): Promise<number> => {
    const find = (): number | undefined =>
      childrenOf(child.pid as number).find((pid) => is.test(commandOf(pid)));
    expect(await until(() => find() !== undefined)).toBe(true);
    return find() as number;
  };
  const helper = await childLike(is);
  // A stopped process notices nothing, whatever happens to its pipes.
  process.kill(helper, 'SIGSTOP');
  onTestFinished(() => {
    if (commandOf(helper) !== '') process.kill(helper, 'SIGKILL');
  });
  // Without a job it is not watched.
  await childLike(/oriel-watchdog/);
  await sleep(100);
  child.kill('SIGKILL');
  expect(await until(() => commandOf(helper) === '')).toBe(true);
});

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Empty for what has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
