/**
 * Owns real pipes to child processes. Node's own `pipe` is a socket: `echo x > /dev/stderr` fails on one, and two
 * of them lose the order in which stdout and stderr were written.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a pipe holds by default on Linux: no single read gives more. */
const READ = 64 << 10;

/** Takes a chunk, which is only valid during the call. A promise asks for a pause until it resolves. */
export type Take = (chunk: Uint8Array) => Promise<void> | undefined;

/** The reading of one stream of a child. */
export interface Intake {
  /** Resolves when every writing end is closed and all that was written has been taken. */
  readonly ended: Promise<void>;
  /** Whether the taker has asked for a pause. */
  readonly paused: boolean;
  /** Stops reading: whoever still writes gets EPIPE. */
  close(): void;
}

export interface Pipe {
  /** The descriptor to hand to a child. */
  readonly writeEnd: number;
  /** Begins to read. To be called once the child has the writing end: ours is closed, or the pipe would never end. */
  read(take: Take): Intake;
  /** Closes a pipe that nobody has. */
  discard(): void;
}

/**
 * `count` pipes, made as FIFOs in `folder` (private to this user) that vanish at once. Undefined where they cannot
 * be had: no `mkfifo`, or a file system that knows no FIFOs.
 */
export async function openPipes(folder: string, count: number): Promise<Pipe[] | undefined> {
  const paths = Array.from({ length: count }, () => join(folder, `pipe-${randomBytes(8).toString('hex')}`));
  const opened: Pipe[] = [];
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    for (const path of paths) opened.push(openFifo(path));
    return opened;
  } catch {
    for (const pipe of opened) pipe.discard();
    return undefined;
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

/** The reading end first and without blocking: opening the writing end alone would wait for a reader. */
function openFifo(path: string): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writeEnd: number;
  try {
    writeEnd = openSync(path, constants.O_WRONLY);
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
  return {
    writeEnd,
    read(take) {
      closeSync(writeEnd);
      return readInto(Buffer.allocUnsafeSlow(READ), readEnd, take);
    },
    discard() {
      closeSync(writeEnd);
      closeSync(readEnd);
    },
  };
}

/** Reads into one buffer again and again: gigabytes pass without leaving garbage behind. */
function readInto(buffer: Buffer, fd: number, take: Take): Intake {
  let paused = false;
  const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, 'onread'> = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        const wait = take(buffer.subarray(0, length));
        if (!wait) return true;
        paused = true;
        void wait.then(() => {
          paused = false;
          socket.resume();
        });
        return false;
      },
    },
  };
  const socket = new Socket(options);
  socket.resume();
  return {
    ended: whenOver(socket),
    get paused() {
      return paused;
    },
    close: () => socket.destroy(),
  };
}

/** The same over a stream that Node made. */
export function readStream(stream: NodeJS.ReadableStream & { destroy(): void }, take: Take): Intake {
  let paused = false;
  stream.on('data', (chunk: Buffer) => {
    const wait = take(chunk);
    if (!wait) return;
    paused = true;
    stream.pause();
    void wait.then(() => {
      paused = false;
      stream.resume();
    });
  });
  return {
    ended: whenOver(stream),
    get paused() {
      return paused;
    },
    close: () => stream.destroy(),
  };
}

function whenOver(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
}
