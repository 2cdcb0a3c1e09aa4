/** Tools for tests of servers: slow ones, failing ones, ones that report progress. */

import { z, type ZodType } from 'zod';
import { narrowRoots } from '../../src/files/roots.ts';
import { assemble, type RunOptions } from '../../src/assemble.ts';
import { type Effects, reads } from '../../src/call/dialect.ts';
import { OrielError } from '../../src/errors.ts';
import type { ServerOffer } from '../../src/faces/offer.ts';
import { createOriel, type Tool } from '../../src/oriel.ts';
import { textAnswer } from '../../src/render/notices.ts';
import type { Answer } from '../../src/types/answer.ts';

export function testTool(
  name: string,
  run: (input: unknown, options: RunOptions) => Promise<Answer>,
  { inputSchema = z.strictObject({}), effects = reads }: { inputSchema?: ZodType; effects?: Effects } = {},
): Tool {
  return {
    name,
    title: name,
    description: `The tool ${name} of a test.`,
    effects,
    inputSchema,
    jsonSchema: z.toJSONSchema(inputSchema, { io: 'input' }) as Record<string, unknown>,
    run: (input, options = {}) => run(input, options),
  };
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A tool that ends only when it is cancelled; `stopped` resolves at that time. */
export function hangingTool(name: string): { tool: Tool; started: Promise<void>; stopped: Promise<void> } {
  const started = deferred();
  const stopped = deferred();
  const tool = testTool(name, (_input, { signal }) => {
    started.resolve();
    return new Promise((resolve) => {
      const stop = (): void => {
        stopped.resolve();
        resolve(textAnswer('stopped'));
      };
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop, { once: true });
    });
  });
  return { tool, started: started.promise, stopped: stopped.promise };
}

export function offerOf(...tools: readonly Tool[]): ServerOffer {
  const oriel = createOriel();
  const { engine } = assemble();
  return {
    dialect: 'test',
    deferred: false,
    engine: () => engine,
    cwd: () => engine.access.cwd,
    narrow: () => narrowRoots([], []),
    tools: () => tools,
    prepare: () => Promise.resolve(),
    find: (name) =>
      tools.find((tool) => tool.name === name) ?? new OrielError('BAD_INPUT', `There is no ${name}.`),
    call: (tool, input, options) => tool.run(input, options),
    read: (path, options) => oriel.tool('read').run({ path }, options),
    keeps: () => false,
    forget: () => Promise.resolve(),
    close: () => oriel.close(),
  };
}
