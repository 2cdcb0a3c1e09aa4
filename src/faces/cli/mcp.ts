/** Owns `oriel mcp`. */

import { OrielError } from '../../errors.ts';
import type { Command } from './command.ts';
import { offerOptions, serverOptions } from './server-options.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  operands: '',
  help: 'serve the tools of the chosen dialect over MCP on stdin and stdout, within the working folder or --root',
  options: serverOptions,
  serves: true,
  async run({ values, operands }, { out, signal }) {
    if (operands.length > 0) {
      throw new OrielError(
        'BAD_INPUT',
        'oriel mcp takes no operands. Use --root DIR to serve another folder.',
      );
    }
    // Whatever a library has to say goes to stderr: stdout belongs to the protocol.
    console.log = console.info = console.debug = console.error;
    const [{ createOffer }, { serveOverStdio }] = await Promise.all([
      import('../offer.ts'),
      import('../mcp/serve-stdio.ts'),
    ]);
    const offer = createOffer(await offerOptions(values));
    await serveOverStdio(
      offer,
      { input: process.stdin, output: out, signal },
      { structured: values['structured'] === true },
    );
    await offer.close();
    return 0;
  },
};
