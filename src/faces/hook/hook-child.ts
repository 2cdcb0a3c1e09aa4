/**
 * `oriel hook HOST`: passes the event that an agent writes to its standard input to the helper, and prints what that answers.
 * Whatever goes wrong, it prints nothing and succeeds: then the agent's own answer stands. It loads only what a socket needs.
 */

import { lstatSync, readlinkSync, readSync, type Stats, statSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isWorthAsking, meetingPath, REPLY, versionKey } from './meeting.ts';

/** Milliseconds after which the agent's own answer stands. */
const MAX_HOOK_MS = 5_000;

/** Between two attempts to reach a helper that is being started, in milliseconds. */
const RETRY_MS = 20;

/** After that happened hooks do not wait longer than this, and start nothing, for so many milliseconds. */
const MAX_LATE_MS = 2_000;
const PAUSE_MS = 30_000;

const MAX_EVENT_BYTES = 32 << 20;

/** Throws if it is too long. */
function readEvent(): string {
  const pieces: Buffer[] = [];
  for (let size = 0; ;) {
    const piece = Buffer.allocUnsafe(1 << 16);
    let read = 0;
    try {
      read = readSync(0, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EOF') break;
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      continue;
    }
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    size += read;
    if (size > MAX_EVENT_BYTES) throw new Error('too long');
  }
  return Buffer.concat(pieces).toString();
}

/** Whether something listens, and has not replied. */
let isMet = false;

/** What the helper replies; empty if it ended without a reply, undefined if there is no helper. */
function ask(path: string, request: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(path, () => {
      isMet = true;
      socket.end(request);
    });
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(isMet ? Buffer.concat(pieces).toString() : undefined);
      isMet = false;
    });
  });
}

const ageOf = (stats: Stats | undefined): number =>
  stats === undefined ? Number.POSITIVE_INFINITY : Math.abs(Date.now() - stats.mtimeMs);

const latePath = (path: string): string => `${path}.late`;

/**
 * A helper that hangs is ended, so that the next hook starts another; one that may still be loading is not. Where nothing
 * listens, the number may be that of another process by now.
 */
function giveUp(path: string, isLate: boolean): void {
  if (!isMet || ageOf(lstatSync(path, { throwIfNoEntry: false })) < PAUSE_MS) {
    // Not once more: hooks would keep each other from starting a helper.
    if (!isLate) writeFileSync(latePath(path), '', { mode: 0o600 });
    return;
  }
  const pid = Number(/\.(\d+)$/.exec(readlinkSync(path))?.[1]);
  // 0 is this group of processes.
  if (pid > 1) process.kill(pid, 'SIGKILL');
}

/** Ends this process if the helper cannot start. */
async function startHelper(cli: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const runtime = 'Deno' in globalThis ? ['run', '-A'] : [];
  const child = spawn(process.execPath, [...runtime, cli, 'hook', 'serve'], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
  });
  child.on('error', end);
  child.on('exit', (code) => code !== 0 && end());
  child.unref();
}

async function answer(host: string): Promise<string> {
  const event = readEvent();
  const path = isWorthAsking(event) ? meetingPath() : undefined;
  if (path === undefined) return '';
  const cli = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  const request = `${JSON.stringify({ version: versionKey(cli), host })}\n${event}`;
  const isLate = ageOf(statSync(latePath(path), { throwIfNoEntry: false })) < PAUSE_MS;
  let hasStarted = isLate;
  setTimeout(
    () => {
      giveUp(path, isLate);
      end();
    },
    isLate ? MAX_LATE_MS : MAX_HOOK_MS,
  ).unref();
  for (;;) {
    const reply = await ask(path, request);
    if (reply !== undefined && reply[0] !== REPLY.otherVersion)
      return reply[0] === REPLY.answer ? reply.slice(1) : '';
    if (!hasStarted) await startHelper(cli);
    hasStarted = true;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

const end = (): never => process.exit(0);
process.on('uncaughtException', end);
const text = await answer(process.argv.at(-1) ?? '').catch(() => '');
// All at once: the agent may close the pipe.
for (let rest = Buffer.from(text); rest.length > 0;) {
  try {
    rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
  }
}
end();
