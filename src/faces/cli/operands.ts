/** Checks the number of operands of a command, and translates paths of a shell. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';

/** Throws `BAD_INPUT` if there are more operands than the command takes. */
export function refuseExtraOperand({ name, operands }: Command, given: readonly string[]): void {
  if (operands.includes('…')) return;
  const extra = given[operands.split(' ').filter(Boolean).length];
  if (extra === undefined) return;
  const usage = `oriel ${name} ${operands}`.trimEnd();
  throw new OrielError('BAD_INPUT', `There is one operand too many: ${quote(extra)}. Use ${usage}.`);
}

/** In a shell `/` is the root of the file system; in tools it is the workspace, so it is translated to `/.`. */
export function operandPath(typed: string): string {
  return typed === '/' || typed.startsWith('/:') ? `/.${typed.slice(1)}` : typed;
}
