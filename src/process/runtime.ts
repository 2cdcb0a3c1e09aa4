/** Which runtime this is: Bun and Deno also name the version of Node that they imitate. */

const { bun, deno } = process.versions as Readonly<Record<string, string | undefined>>;

export const RUNTIME: 'bun' | 'deno' | 'node' =
  bun !== undefined ? 'bun' : deno !== undefined ? 'deno' : 'node';
