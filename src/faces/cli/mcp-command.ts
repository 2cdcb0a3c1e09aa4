/** `oriel mcp`. */

import { compileEarly } from '../../access/compile-budget.ts';
import type { Command } from './command.ts';
import { offerOptions, servedBy, serverOptions, writeTimeoutOf } from './server-options.ts';

/** For a person who starts the command in a terminal. */
const GREETING =
  'oriel mcp waits for an agent on stdin: add it to yours, for instance with claude mcp add oriel -- oriel mcp ' +
  '(oriel read oriel://hosts.md has the others), or press Ctrl-D to end it.';

export const mcpCommand: Command = {
  name: 'mcp',
  operands: '[DIR…]',
  help: 'serve the tools of the chosen dialect over MCP on stdin and stdout, within DIR or the working directory',
  options: serverOptions,
  serves: true,
  async run(parsed, streams) {
    const { out, err, signal } = streams;
    if (process.stdin.isTTY) err.write(`${GREETING}\n`);
    // Messages of libraries go to stderr, because stdout is for the protocol.
    console.log = console.info = console.debug = console.error;
    const { offerOverStdio } = await import('../mcp/serve-stdio.ts');
    // Loading happens after the answer to `initialize`, for which the host waits, and before the first call.
    const options = await offerOptions(parsed, streams);
    const load = async (): Promise<void> => {
      compileEarly();
      await (await import('../../engine/preload.ts')).loadParts(servedBy(options));
    };
    await offerOverStdio(
      { ...options, load },
      {
        input: process.stdin,
        output: out,
        signal,
        warn: (sentence) => void err.write(`oriel: ${sentence}\n`),
        ...writeTimeoutOf(parsed),
      },
      { structured: parsed.values['structured'] === true },
    );
    // Output that the host has not read by now would keep the process alive. A signal is not a failure.
    if (out.writableLength > 0) process.exit(0);
    return 0;
  },
};
