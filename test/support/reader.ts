/** Reads a workspace with the `read` tool and gives each answer as one string; a failure starts with its error code. */

import { codeOf, textOf, workspace } from './workspace.ts';

export interface Reader {
  /** The working directory and only root. */
  readonly folder: string;
  write(name: string, content: string | Uint8Array): void;
  read(path: string, signal?: AbortSignal): Promise<string>;
  /** `details` of the answer. */
  details(path: string): Promise<Readonly<Record<string, unknown>>>;
}

export function reader(): Reader {
  const { W, write, oriel } = workspace();
  const run = (path: string, signal?: AbortSignal) =>
    oriel.tool('read').run({ path }, { ...(signal && { signal }) });
  return {
    folder: W,
    write: (name, content) => void write(name, content),
    async read(path, signal) {
      const answer = await run(path, signal);
      return answer.isError ? `${codeOf(answer)}: ${textOf(answer)}` : textOf(answer);
    },
    details: async (path) => (await run(path)).details,
  };
}
