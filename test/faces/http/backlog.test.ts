import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { server } from '../../support/server.ts';

const CLIENTS = 1_000;

/** What the kernel lets wait; 0 where it does not say. */
function allowed(): number {
  return platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;
}

test.runIf(allowed() > CLIENTS)(
  'a thousand clients connecting to a busy server get answers',
  { tags: 'slow' },
  async () => {
    const running = await server(['--max-connections', '4096']);
    // It accepts nothing now: what the kernel holds for it is the backlog.
    running.kill('SIGSTOP');
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    let connected = 0;
    let answered = 0;
    const failures: string[] = [];
    for (let i = 0; i < CLIENTS; i += 1) {
      const socket = connect(running.port, '127.0.0.1', () => (connected += 1));
      socket.on('error', ({ message }) => failures.push(message));
      socket.once('data', () => (answered += 1));
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      sockets.push(socket);
    }
    await expect.poll(() => connected).toBe(CLIENTS);
    running.kill('SIGCONT');
    await expect.poll(() => answered).toBe(CLIENTS);
    expect(failures).toEqual([]);
  },
);
