/** Which runtime this is: Bun and Deno also name the version of Node that they imitate. */

const { bun, deno } = process.versions as Readonly<Record<string, string | undefined>>;

export const RUNTIME: 'bun' | 'deno' | 'node' =
  bun !== undefined ? 'bun' : deno !== undefined ? 'deno' : 'node';

/** Whether the program that runs is a runtime, which starts any script: not one that was compiled from a program with Deno or Node. */
export function isRuntimeProgram(): boolean {
  const { Deno } = globalThis as { readonly Deno?: { readonly build: { readonly standalone?: boolean } } };
  if (RUNTIME === 'deno') return Deno?.build.standalone !== true;
  const sea = process.getBuiltinModule('node:sea') as typeof import('node:sea') | undefined;
  return sea?.isSea() !== true;
}
