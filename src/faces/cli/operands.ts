/** How many operands a command takes, from the words that its help shows. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';

/** Throws `BAD_INPUT` where there are more operands than the command takes. */
export function refuseExtraOperand({ name, operands }: Command, given: readonly string[]): void {
  if (operands.includes('…')) return;
  const extra = given[operands.split(' ').filter(Boolean).length];
  if (extra === undefined) return;
  const usage = `oriel ${name} ${operands}`.trimEnd();
  throw new OrielError('BAD_INPUT', `There is one operand too many: ${quote(extra)}. Use ${usage}.`);
}
