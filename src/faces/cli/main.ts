/** The process of the command line: arguments in, streams out, an exit code. */

import { explained } from '../../call/unexpected.ts';
import { version } from '../../files/package-files.ts';
import { writeFailure } from '../../files/system-failure.ts';
import { ownProcess } from '../../process/compile-budget.ts';
import { commandHelp, generalHelp, loadCommand, parseCommandLine, splitCommand } from './commands.ts';
import { mentionDebug, printUnexpected } from './dialect-tool.ts';
import { type CliStreams, type ExitCode, refuseExtraOperand } from './options.ts';
import { printError } from './print.ts';

/** The exit code of a failure, which depends on the command. */
let failureCode: ExitCode = 2;

async function main(args: readonly string[], streams: CliStreams): Promise<ExitCode> {
  const { name, rest } = splitCommand(args);
  if (name === undefined) return withoutCommand(args, streams);
  if (name === 'help') {
    const all = rest.includes('--all');
    const [about] = rest.filter((word) => word !== '--all');
    streams.out.write(
      about === undefined || about === 'help'
        ? await generalHelp(streams.out, all)
        : commandHelp(await loadCommand(about), streams.out, all),
    );
    return 0;
  }
  const command = await loadCommand(name);
  failureCode = command.failureCode ?? failureCode;
  const isHelp = rest.includes('--help') || rest.includes('-h');
  // Only beside --help: `--all` means something else elsewhere.
  const parsed = parseCommandLine(isHelp ? rest.filter((word) => word !== '--all') : rest, command);
  if (parsed.values['help'] === true) {
    streams.out.write(commandHelp(command, streams.out, rest.includes('--all')));
    return 0;
  }
  refuseExtraOperand(command, parsed.operands);
  const code = await command.run(parsed, streams);
  if (command.serves) process.exitCode = code;
  return code;
}

async function withoutCommand(args: readonly string[], { out }: CliStreams): Promise<ExitCode> {
  if (args.some((arg) => ['--version', '-v', '-V'].includes(arg))) {
    out.write(`${version()}\n`);
    return 0;
  }
  const asked = args.some((arg) => ['--help', '-h'].includes(arg));
  if (args.length > 0 && !asked) await loadCommand(args[0] as string);
  out.write(await generalHelp(out, args.includes('--all')));
  return asked ? 0 : 2;
}

/** A closed pipe is not a failure: `oriel read big.txt | head`. A full disk is a failure. */
function endOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  printError(writeFailure(error, 'The answer could not be written').message, streams);
  process.exit(failureCode);
}

/** Removes the variables with tokens, or with the paths of their files, so that nothing that is started later inherits them. */
function takeTokens(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const tokens: NodeJS.ProcessEnv = {};
  for (const name of Object.keys(env)) {
    if (!name.startsWith('ORIEL_TOKEN')) continue;
    tokens[name] = env[name];
    delete env[name];
  }
  return tokens;
}

/** Milliseconds to wait for the last output to be read after a signal has ended the command. */
const LAST_WORDS_MS = 1_000;

const stop = new AbortController();
/** Signals and their exit codes. They abort the command, so that child processes do not outlive this process. */
const ENDINGS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
for (const [signal, code] of Object.entries(ENDINGS)) {
  process.once(signal, () => {
    process.exitCode = code;
    stop.abort();
  });
}
const streams: CliStreams = {
  out: process.stdout,
  err: process.stderr,
  signal: stop.signal,
  tokens: takeTokens(process.env),
};
process.stdout.on('error', endOutput);
// An error of stderr cannot be reported.
process.stderr.on('error', () => process.exit(process.exitCode ?? 0));
ownProcess();

/** The exit code of Node for what is awaited and never comes. */
const UNSETTLED = 13;

/** Resolves when the command has ended. Not awaited here, because the build is CommonJS (`launch.ts`). */
export const ended: Promise<void> = start();

async function start(): Promise<void> {
  const unsettled = (): void => void (process.exitCode ??= UNSETTLED);
  process.once('exit', unsettled);
  try {
    const code = await main(process.argv.slice(2), streams);
    process.exitCode ??= code;
  } catch (error) {
    const failure = explained(error);
    printError(failure.message, streams);
    if (process.argv.includes('--debug')) printUnexpected(error, { code: failure.code });
    else mentionDebug(error, failure);
    process.exitCode ??= failureCode;
  }
  process.off('exit', unsettled);
  // A pipe that is not read would keep the process alive. With unref the process ends earlier if the pipe is read.
  if (stop.signal.aborted) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}
