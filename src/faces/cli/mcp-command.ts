/** Owns `oriel mcp`. */

import type { Command } from './command.ts';
import { offerOptions, serverOptions } from './server-options.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  operands: '[DIR…]',
  help: 'serve the tools of the chosen dialect over MCP on stdin and stdout, within DIR or the working folder',
  options: serverOptions,
  serves: true,
  async run(parsed, { out, signal }) {
    // Whatever a library has to say goes to stderr: stdout belongs to the protocol.
    console.log = console.info = console.debug = console.error;
    const [{ createOffer }, { serveOverStdio }, { loadParts }] = await Promise.all([
      import('../offer.ts'),
      import('../mcp/serve-stdio.ts'),
      import('../../engine/preload.ts'),
    ]);
    await loadParts();
    const offer = createOffer(await offerOptions(parsed));
    await serveOverStdio(
      offer,
      { input: process.stdin, output: out, signal },
      { structured: parsed.values['structured'] === true },
    );
    await offer.close();
    return 0;
  },
};
