/** The list of dialects. */

import type { Dialect } from '../call/dialect.ts';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { coder } from './coder.ts';
import { oriel } from './oriel.ts';
import { current, pi, published } from './pi.ts';
import { publishedZdx, zdx } from './zdx.ts';
import { zed } from './zed.ts';

const DIALECTS = {
  oriel: () => oriel,
  pi,
  'pi@0.74': published,
  'pi@1.6': current,
  zed: () => zed,
  zdx: () => zdx,
  'zdx@0.10': () => publishedZdx,
  coder,
} satisfies Record<string, () => Dialect>;

export type DialectName = keyof typeof DIALECTS;

export const dialectNames = Object.keys(DIALECTS) as DialectName[];

/** The names of the tools of all dialects, without duplicates. */
export function toolNames(): readonly string[] {
  const tools = dialectNames.flatMap((name) => dialectOf(name).tools);
  return [...new Set(tools.map(({ name }) => name))];
}

/** Throws `BAD_INPUT` for an unknown name. */
export function dialectOf(name: string): Dialect {
  if (Object.hasOwn(DIALECTS, name)) return DIALECTS[name as DialectName]();
  const names = dialectNames.join(', ');
  throw new OrielError('BAD_INPUT', `There is no dialect ${quote(name)}. Use one of ${names}.`);
}
