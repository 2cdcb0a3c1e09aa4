/** `oriel mcp` over stdio, as a host starts it: one line for each message, and nothing else on stdout. */

import { createInterface } from 'node:readline';
import { cli } from '../../support/cli.ts';
import { ended, logOf, optionsOf, startNode } from './program.ts';
import { DETAILED, replyOfMessage } from './reply.ts';
import type { Door, Settings, Way } from './way.ts';

type Message = Record<string, unknown>;

export const mcpStdio: Way = {
  name: 'mcp-stdio',
  async open(settings: Settings): Promise<Door> {
    const args = [cli, 'mcp', '--allow-bash', ...optionsOf(settings)];
    const child = startNode(args, settings, { fed: true });
    const log = logOf(child);
    const lines: string[] = [];
    const watchers = new Set<(line: string) => void>();
    child.stdin?.on('error', () => undefined);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line);
      for (const watch of watchers) watch(line);
    });
    const write = (bytes: string | Uint8Array): Promise<void> =>
      new Promise((resolve) => {
        if (child.stdin?.write(bytes)) resolve();
        else child.stdin?.once('drain', resolve);
      });
    const next = (wanted: (line: string) => boolean): Promise<string> =>
      new Promise((resolve, reject) => {
        const watch = (line: string): void => {
          if (!wanted(line)) return;
          watchers.delete(watch);
          resolve(line);
        };
        watchers.add(watch);
        child.once('exit', (code) => reject(new Error(`oriel mcp has ended with ${code}: ${log()}`)));
      });
    child.setMaxListeners(0);
    let ids = 0;
    const send = (message: object): Promise<void> =>
      write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const ask = async (method: string, params: object, signal?: AbortSignal): Promise<string | undefined> => {
      const id = (ids += 1);
      const came = next((line) => isReplyTo(id, line));
      const stopped =
        signal &&
        new Promise<undefined>((resolve) => {
          const stop = (): void => {
            void send({ method: 'notifications/cancelled', params: { requestId: id } });
            resolve(undefined);
          };
          signal.addEventListener('abort', stop, { once: true });
        });
      await send({ id, method, params });
      return Promise.race(stopped ? [came, stopped] : [came]);
    };
    await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'hostile', version: '1' },
    });
    await send({ method: 'notifications/initialized' });
    return {
      way: 'mcp-stdio',
      pid: child.pid as number,
      async call(tool, input, signal) {
        const line = await ask('tools/call', { name: tool, arguments: input, ...DETAILED }, signal);
        return line === undefined ? undefined : replyOfMessage(JSON.parse(line) as Message, line);
      },
      async tools() {
        const line = (await ask('tools/list', {})) as string;
        return (JSON.parse(line) as { result: { tools: { name: string }[] } }).result.tools;
      },
      log,
      stdio: { write, next, lines },
      close: () => ended(child),
    };
  },
};

/** What is no message fails the call that waits: stdout holds nothing else. */
function isReplyTo(id: number, line: string): boolean {
  return (JSON.parse(line) as Message)['id'] === id;
}
