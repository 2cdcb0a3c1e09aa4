/**
 * Reads the output of child processes from real pipes. Node's own `pipe` is a socket, on which `echo x > /dev/stderr`
 * fails; and two sockets lose the order of stdout and stderr.
 */

import { closeSync } from 'node:fs';
import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net';
import { closeBoth, takePipes } from './fifo.ts';

/** The default capacity of a pipe on Linux: a single read returns at most this much. */
const READ = 64 << 10;

/**
 * Receives a chunk, which is only valid during the call. Reading pauses until a returned promise resolves:
 * backpressure.
 */
export type Take = (chunk: Uint8Array) => Promise<void> | undefined;

/** The reading of one stream of a child. */
export interface Intake {
  /** Resolves when every writing end is closed and all output has been processed. */
  readonly ended: Promise<void>;
  /** Whether reading is paused by backpressure. */
  readonly paused: boolean;
  /** Stops reading: processes that still write get EPIPE. */
  close(): void;
}

export interface Pipe {
  /** The descriptor for a child. */
  readonly writeEnd: number;
  /**
   * Begins to read. Call it when the child has the writing end: this process then closes its own, because
   * otherwise the pipe would never end.
   */
  read(take: Take): Intake;
  /** Closes both ends of a pipe that no child has. */
  discard(): void;
}

/** `count` pipes; undefined if they cannot be made. See `takePipes`. */
export async function openPipes(directory: string, count: number): Promise<Pipe[] | undefined> {
  const taken = await takePipes(directory, count);
  return taken?.map((ends) => ({
    writeEnd: ends.writeEnd,
    read(take) {
      closeSync(ends.writeEnd);
      return readInto(Buffer.allocUnsafeSlow(READ), ends.readEnd, take);
    },
    discard: () => closeBoth(ends),
  }));
}

/** Reads into one buffer, which is reused, so that gigabytes of output create no garbage. */
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

/** The same for a stream of Node. */
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
