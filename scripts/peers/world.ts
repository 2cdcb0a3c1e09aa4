/** Shared by the programs: a directory with a file `f` of two lines, and the tools to read it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOriel, type Oriel, type Tool } from 'oriel';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-peer-'));
writeFileSync(join(cwd, 'f'), 'a\nb\n');
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));

export const oriel: Oriel = createOriel({ cwd, roots: [cwd] });

/** A `fetch` that returns these bodies one after the other, and records the requests. */
export function mockFetch(bodies: readonly unknown[]): {
  fetch: typeof fetch;
  sent: Record<string, unknown>[];
} {
  const sent: Record<string, unknown>[] = [];
  return {
    sent,
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
      return Response.json(bodies[sent.length - 1]);
    },
  };
}

/** A tool that answers with a picture, and the signal that it was called with last. */
export function pictureTool(): {
  readonly tool: Tool;
  readonly data: string;
  signal(): AbortSignal | undefined;
} {
  const data = Buffer.from('pixels').toString('base64');
  let seen: AbortSignal | undefined;
  return {
    data,
    signal: () => seen,
    tool: {
      ...oriel.tool('read'),
      run(_input, { signal } = {}) {
        seen = signal;
        const content = [{ type: 'image', mimeType: 'image/png', data }] as const;
        return Promise.resolve({ content, details: {}, isError: false });
      },
    },
  };
}
