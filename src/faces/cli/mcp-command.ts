/** `oriel mcp`. */

import type { Command } from './command.ts';
import { offerOptions, serverOptions } from './server-options.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  operands: '[DIR…]',
  help: 'serve the tools of the chosen dialect over MCP on stdin and stdout, within DIR or the working directory',
  options: serverOptions,
  serves: true,
  async run(parsed, { out, signal }) {
    // Whatever a library has to say goes to stderr: stdout belongs to the protocol.
    console.log = console.info = console.debug = console.error;
    const { offerOverStdio } = await import('../mcp/serve-stdio.ts');
    // A host waits for the answer to `initialize`, and after it for nothing until a model makes its first call.
    const load = async (): Promise<void> => (await import('../../engine/preload.ts')).loadParts();
    await offerOverStdio(
      { ...(await offerOptions(parsed)), load },
      { input: process.stdin, output: out, signal },
      { structured: parsed.values['structured'] === true },
    );
    return 0;
  },
};
