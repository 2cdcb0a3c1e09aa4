/** Finds the next call that an answer names: `Use PATH to continue`, or a number for an argument of the tool. */

export interface NextCall {
  readonly path?: string;
  readonly arguments?: Readonly<Record<string, number>>;
}

/** `numbers`: the numeric arguments of the tool. The last one in the text counts, because notices are at the end. */
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
  // "Use offset=41 to continue" matches both, and is an argument.
  if (path !== undefined && !/^\w+=\d+$/.test(path)) return { path };
  return named.length > 0 ? { arguments: Object.fromEntries(named) } : undefined;
}
