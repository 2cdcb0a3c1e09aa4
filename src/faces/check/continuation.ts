/** What an answer names as the next call: `Use PATH to continue`, or a number for one of the tool's own arguments. */

export interface NextCall {
  readonly path?: string;
  readonly arguments?: Readonly<Record<string, number>>;
}

/** `numbers` are the tool's arguments that take numbers. The last one that is named counts: notices are at the edge. */
export function continuationOf(text: string, numbers: readonly string[]): NextCall | undefined {
  const edge = text.slice(-1_000);
  const path = [...edge.matchAll(/\bUse (\S+) to continue\b/g)].at(-1)?.[1];
  const named = numbers.flatMap((name) => {
    const value = [
      ...`${text.slice(0, 1_000)}\n${edge}`.matchAll(
        new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\s*[=:]\\s*(\\d+)`, 'g'),
      ),
    ].at(-1)?.[1];
    return value === undefined ? [] : [[name, Number(value)] as const];
  });
  // "Use offset=41 to continue" is both.
  if (path !== undefined && !/^\w+=\d+$/.test(path)) return { path };
  return named.length > 0 ? { arguments: Object.fromEntries(named) } : undefined;
}
