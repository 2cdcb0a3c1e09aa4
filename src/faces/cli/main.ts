#!/usr/bin/env node
/** The process of the command line: arguments in, streams out, an exit code. */

import { version } from '../../access/package-files.ts';
import { explained } from '../../engine/unexpected.ts';
import type { ExitCode, Streams } from './command.ts';
import { commandHelp, generalHelp, loadCommand } from './commands.ts';
import { printUnexpected } from './debug.ts';
import { refuseExtraOperand } from './operands.ts';
import { globalOptions, parse } from './options.ts';
import { printError } from './print.ts';

async function main(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [about] = rest;
    streams.out.write(about === undefined ? await generalHelp() : commandHelp(await loadCommand(about)));
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V') {
    streams.out.write(`${version()}\n`);
    return 0;
  }
  const command = await loadCommand(name);
  const parsed = parse(rest, name, [...command.options, ...globalOptions]);
  if (parsed.values['help'] === true) {
    streams.out.write(commandHelp(command));
    return 0;
  }
  refuseExtraOperand(command, parsed.operands);
  const code = await command.run(parsed, streams);
  if (command.serves) process.exitCode = code;
  return code;
}

/** A reader that has seen enough is no failure: `oriel read big.txt | head`. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode ?? 0);
}

const stop = new AbortController();
/** A running command must not outlive this process, whoever ends it. */
const ENDINGS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
for (const [signal, code] of Object.entries(ENDINGS)) {
  process.once(signal, () => {
    process.exitCode = code;
    stop.abort();
  });
}
process.stdout.on('error', endQuietly);
process.stderr.on('error', endQuietly);
const streams: Streams = { out: process.stdout, err: process.stderr, signal: stop.signal };
try {
  const code = await main(process.argv.slice(2), streams);
  process.exitCode ??= code;
} catch (error) {
  const failure = explained(error);
  printError(failure.message, streams);
  if (process.argv.includes('--debug')) printUnexpected(error, { code: failure.code });
  process.exitCode ??= 2;
}
