/** The library, in a process of its own that does nothing but call it. */

import { pathToFileURL } from 'node:url';
import type { Answer } from '../../../src/index.ts';
import { built } from '../../support/built.ts';
import { ended, LIMITS, logOf, startNode } from './program.ts';
import { replyOf } from './reply.ts';
import type { Door, Settings, Way } from './way.ts';

const host = new URL('library-host.mjs', import.meta.url).pathname;

export const library: Way = {
  name: 'library',
  async open(settings: Settings): Promise<Door> {
    const { cwd, roots, allow = [], deny, net = [] } = settings;
    const options = { cwd, roots, allow, deny, cache: false, limits: LIMITS, web: { allow: net } };
    const index = pathToFileURL(built('index.js')).href;
    const child = startNode([host, index, JSON.stringify(options)], settings, { linked: true });
    const log = logOf(child);
    const waiting = new Map<number, (value: unknown) => void>();
    child.on('message', ({ id, value }: { id: number; value: unknown }) => {
      waiting.get(id)?.(value);
      waiting.delete(id);
    });
    child.once('exit', () => {
      for (const resolve of waiting.values()) resolve(undefined);
    });
    let ids = 0;
    const ask = (message: object, signal?: AbortSignal): Promise<unknown> => {
      const id = (ids += 1);
      signal?.addEventListener('abort', () => child.send({ id, abort: true }), { once: true });
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, ...message });
      });
    };
    await ask({ tools: true });
    return {
      way: 'library',
      pid: child.pid as number,
      async call(tool, input, signal) {
        const answer = (await ask({ tool, input: JSON.stringify(input) }, signal)) as Answer | undefined;
        if (answer === undefined) throw new Error(`the library has ended: ${log()}`);
        return replyOf(answer, JSON.stringify(answer));
      },
      tools: async () => (await ask({ tools: true })) as { name: string }[],
      log,
      close: () => ended(child),
    };
  },
};
