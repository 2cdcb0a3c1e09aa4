/**
 * The built command line, as in cli.ts, without the start of a process for each call, which costs many times a short call.
 * For tests of what a call answers, not of its process.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, read, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cli, type Outcome } from './cli.ts';

export interface WarmOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Its standard input. */
  readonly input?: string;
}

/** A process that makes one call after the other. */
interface Host {
  readonly requests: number;
  readonly replies: number;
}

let host: Host | undefined;
let asyncHost: Host | undefined;
let last: Promise<unknown> = Promise.resolve();

export function run(args: readonly string[], options: WarmOptions = {}): Outcome {
  host ??= start();
  send(host, args, options);
  const pieces: Buffer[] = [];
  while (!isComplete(pieces)) {
    const piece = Buffer.alloc(1 << 16);
    pieces.push(piece.subarray(0, readSync(host.replies, piece)));
  }
  return outcome(pieces);
}

/** Like `run`, without blocking: for a command that talks to a server in this process. Calls wait for each other. */
export function runAsync(args: readonly string[], options: WarmOptions = {}): Promise<Outcome> {
  const running = last.then(async () => {
    asyncHost ??= start();
    send(asyncHost, args, options);
    const pieces: Buffer[] = [];
    while (!isComplete(pieces)) pieces.push(await nextPiece(asyncHost.replies));
    return outcome(pieces);
  });
  last = running.catch(() => undefined);
  return running;
}

/** It ends when this process does, because its requests end. */
function start(): Host {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-warm-cli-'));
  const [requests, replies] = [join(directory, 'requests'), join(directory, 'replies')];
  execFileSync('mkfifo', [requests, replies]);
  const script = fileURLToPath(new URL('warm-cli-host.mjs', import.meta.url));
  const shell = 'exec "$0" "$1" "$2" 3<"$3" 4>"$4"';
  spawn('sh', ['-c', shell, process.execPath, script, cli, requests, replies], {
    stdio: ['ignore', 'ignore', 'inherit'],
  }).unref();
  // Each waits until the shell opens the other end.
  const opened = { requests: openSync(requests, 'w'), replies: openSync(replies, 'r') };
  rmSync(directory, { recursive: true });
  return opened;
}

function send({ requests }: Host, args: readonly string[], options: WarmOptions): void {
  const { cwd = process.cwd(), env = process.env, input = '' } = options;
  writeSync(requests, `${JSON.stringify({ args, cwd, env, input })}\n`);
}

function nextPiece(fd: number): Promise<Buffer> {
  const piece = Buffer.alloc(1 << 16);
  return new Promise((resolve, reject) => {
    read(fd, piece, 0, piece.length, null, (error, bytes) => {
      if (error) reject(error);
      else resolve(piece.subarray(0, bytes));
    });
  });
}

/** A reply is one line. */
function isComplete(pieces: readonly Buffer[]): boolean {
  const piece = pieces.at(-1);
  if (piece?.length === 0) throw new Error('the process of the command line has ended');
  return piece?.at(-1) === 10;
}

function outcome(pieces: readonly Buffer[]): Outcome {
  return JSON.parse(Buffer.concat(pieces).toString()) as Outcome;
}
