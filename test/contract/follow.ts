/** Reading a file to its end, by doing what each answer says. */

import type { OrielOptions } from '../../src/index.ts';
import { type Called, place, type Place } from '../support/dialect.ts';
import type { Reader, Step } from './tools.ts';

export interface Pages {
  readonly here: Place;
  readonly pages: readonly Called[];
  readonly bodies: readonly string[];
}

/** Follows a reader from its first answer to its last. */
export async function follow(
  tool: Reader,
  content: string | Uint8Array,
  more: Record<string, unknown> = {},
  options: OrielOptions = {},
): Promise<Pages> {
  const here = place(tool.dialect, options);
  here.write('file.txt', content);
  const pages: Called[] = [];
  let step: Step | undefined = {
    tool: tool.tool,
    input: { ...tool.ask(here.folder, 'file.txt'), ...more },
  };
  while (step) {
    const called: Called = await here.call(step.tool, step.input);
    if (called.isError) throw new Error(called.text);
    pages.push(called);
    if (pages.length > 2000) throw new Error('the answers do not come to an end');
    step = tool.next(called, step);
  }
  return { here, pages, bodies: pages.map((called) => tool.body(called)) };
}

/** One line over every limit, between two short ones. */
export const oversized = `before\n${'g'.repeat(600_000)}é\nafter\n`;
