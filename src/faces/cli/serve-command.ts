/** `oriel serve`. */

import type { Command } from './command.ts';
import { offerOptions, serverOptions } from './server-options.ts';

const DEFAULT_ADDRESS = '127.0.0.1:7345';

export const serveCommand: Command = {
  name: 'serve',
  operands: '[DIR…]',
  help: 'serve a workspace over HTTP: files, tools and MCP, within DIR or the working directory',
  options: [
    {
      name: 'listen',
      type: 'string',
      value: 'ADDRESS',
      help: `HOST:PORT or unix:PATH (default ${DEFAULT_ADDRESS})`,
    },
    {
      name: 'token',
      type: 'string',
      value: 'TOKEN',
      help: 'want this bearer token with every request; ORIEL_TOKEN does the same and stays out of process lists',
    },
    {
      name: 'host',
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'a name by which clients know the server (repeatable; addresses and localhost need none)',
    },
    ...serverOptions,
  ],
  serves: true,
  async run(parsed, { err, signal }) {
    const { values } = parsed;
    const [{ createOffer }, { serve }, { parseAddress }, { loadParts }] = await Promise.all([
      import('../offer.ts'),
      import('../http/serve.ts'),
      import('../http/address.ts'),
      import('../../engine/preload.ts'),
    ]);
    const token = (values['token'] as string | undefined) ?? process.env['ORIEL_TOKEN'];
    // What commands run here must not find it.
    delete process.env['ORIEL_TOKEN'];
    await loadParts();
    const offer = createOffer(await offerOptions(parsed));
    const serving = await serve(offer, {
      address: parseAddress((values['listen'] as string | undefined) ?? DEFAULT_ADDRESS),
      ...(token && { token }),
      hosts: (values['host'] as readonly string[] | undefined) ?? [],
      structured: values['structured'] === true,
      log: err,
    });
    if (!signal.aborted)
      await new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }));
    await serving.close();
    await offer.close();
    return 0;
  },
};
