/** The command line: a process for each call, `oriel call TOOL JSON --json`. It ends as it began: with nothing left. */

import type { Answer } from '../../../src/index.ts';
import { cli as program } from '../../support/cli.ts';
import { logOf, optionsOf, startNode } from './program.ts';
import { replyOf } from './reply.ts';
import type { Door, Settings, Way } from './way.ts';

export const cli: Way = {
  name: 'cli',
  async open(settings: Settings): Promise<Door> {
    let all = '';
    const run = async (
      args: readonly string[],
      signal?: AbortSignal,
    ): Promise<{ out: string; err: string; code: number | null }> => {
      const child = startNode([program, ...args], settings, { beating: false });
      const log = logOf(child);
      const parts: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => parts.push(chunk));
      // As the Ctrl-C of a person.
      signal?.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      all += log();
      return { out: Buffer.concat(parts).toString(), err: log(), code };
    };
    return {
      way: 'cli',
      async call(tool, input, signal) {
        const { out, err, code } = await run(
          ['call', tool, JSON.stringify(input), '--json', ...optionsOf(settings)],
          signal,
        );
        if (signal?.aborted) return undefined;
        if (out === '') throw new Error(`oriel call ended with ${code} and no answer: ${err}`);
        const answer = JSON.parse(out) as Answer;
        return replyOf(answer, out + err);
      },
      tools: async () => {
        const { out } = await run(['tools', '--json']);
        return JSON.parse(out) as { name: string }[];
      },
      log: () => all,
      close: async () => 0,
    };
  },
};
