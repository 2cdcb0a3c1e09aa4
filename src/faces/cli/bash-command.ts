/** `oriel bash`. */

import { constants } from 'node:os';
import { OrielError } from '../../errors.ts';
import { missingProc } from '../../files/descriptors.ts';
import type { Answer } from '../../types/answer.ts';
import { withTool } from './dialect-tool.ts';
import { callOptions, type CliCommand, type ExitCode, fold, optionNumber } from './options.ts';
import { liveOutput, printAnswer } from './print.ts';

/** The exit codes of timeout(1), so that scripts can distinguish the failures. */
const TIMED_OUT = 124;
const OWN_FAILURE = 125;

export const bashCommand: CliCommand = {
  name: 'bash',
  operands: 'COMMAND…',
  help:
    'run a command; of a long output its end is shown, and its first 1 GiB is kept as artifact://N. Ends with the exit code ' +
    `of the command, with ${TIMED_OUT} after a timeout, with ${OWN_FAILURE} where the command could not be run`,
  options: [
    {
      name: 'timeout',
      value: 'SECONDS',
      help: 'end the command after SECONDS (default 120)',
    },
    fold,
    ...callOptions,
  ],
  habits: { c: 'default' },
  endsOptions: true,
  failureCode: OWN_FAILURE,
  run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError('BAD_INPUT', "Nothing to run. Use oriel bash 'COMMAND'.");
    }
    const timeout = optionNumber(values, 'timeout', { what: 'seconds above 0', example: 120 });
    const input = { command: operands.join(' '), timeout };
    const missing = missingProc();
    if (missing !== undefined) streams.err.write(`oriel: ${missing}\n`);
    // The person who types the timeout is the operator.
    const own = { ...values, 'max-timeout': values['timeout'] ?? values['max-timeout'] };
    const isJson = values['json'] === true;
    return withTool('bash', own, streams, async (ask) => {
      // Other dialects format the output differently.
      const isLive = streams.out.isTTY && !isJson && (values['dialect'] ?? 'oriel') === 'oriel';
      const live = isLive ? liveOutput(streams.out) : undefined;
      const answer = await ask(input, live && { onOutput: live.write });
      if (live?.hasBegun()) live.end(answer);
      const printed = live?.hasBegun()
        ? 0
        : printAnswer(answer, streams, isJson, { name: 'bash', values, operands });
      return exitCodeOf(answer) ?? printed;
    });
  },
};

/** Undefined if the dialect's details do not include the exit code. */
function exitCodeOf({ details, isError }: Answer): ExitCode | undefined {
  if (details['timedOut'] === true) return TIMED_OUT;
  const { exitCode, signal } = details;
  if (typeof exitCode === 'number') return exitCode;
  if (typeof signal === 'string') return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  return isError && !('timedOut' in details) ? OWN_FAILURE : undefined;
}
