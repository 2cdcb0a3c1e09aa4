/** `oriel serve`. */

import { shellWord } from '../../text/visible.ts';
import { addressText, type ListenAddress } from '../http/guard.ts';
import { type CliCommand, isWholeBetween, optionNumber } from './options.ts';
import { offerOptions, serverOptions, writeTimeoutOf } from './server-options.ts';
import { operatorToken, operatorTokenOption, serverToken, tokenOptions } from './workspaces.ts';

const DEFAULT_ADDRESS = '127.0.0.1:7345';
const LISTEN = 'Use oriel serve --listen 127.0.0.1:8080.';

export const serveCommand: CliCommand = {
  name: 'serve',
  operands: '[DIR…]',
  help: 'serve a workspace over HTTP: files, tools and MCP, within DIR or the working directory',
  options: [
    {
      name: 'listen',
      value: 'ADDRESS',
      help: `HOST:PORT or unix:PATH (default ${DEFAULT_ADDRESS})`,
    },
    ...tokenOptions,
    operatorTokenOption,
    {
      name: 'host',
      multiple: true,
      value: 'NAME',
      help: 'a name by which clients know the server (repeatable; addresses and localhost need none)',
    },
    {
      name: 'max-connections',
      rare: true,
      value: 'N',
      help: 'connections that one address may have open (default 256)',
    },
    ...serverOptions,
  ],
  habits: { p: LISTEN, '-port': LISTEN },
  serves: true,
  async run(parsed, streams) {
    const { values } = parsed;
    const { err, signal } = streams;
    const [
      { createOffer },
      { refuseWithoutKey, serve },
      { isLocalAddress, newToken, parseAddress },
      { createLog },
    ] = await Promise.all([
      import('../offer.ts'),
      import('../http/serve.ts'),
      import('../http/guard.ts'),
      import('../http/metrics.ts'),
    ]);
    const { token, warning } = serverToken(values, streams.tokens) ?? {};
    const operator = operatorToken(values);
    for (const said of [warning, operator?.warning]) if (said !== undefined) err.write(`oriel: ${said}\n`);
    const options = await offerOptions(parsed, streams);
    const offer = createOffer({ ...options, manyClients: true });
    const address = parseAddress((values['listen'] as string | undefined) ?? DEFAULT_ADDRESS);
    refuseWithoutKey(offer, { address, token });
    void offer.prepare();
    // Without tokens whoever has the link that is printed is the operator: not every account of this machine.
    const isOpen = !token && !operator && address.kind === 'port' && isLocalAddress(address);
    const linked = isOpen ? newToken() : undefined;
    const serving = await serve(offer, {
      address,
      token: token || undefined,
      operatorToken: operator?.token ?? linked,
      hosts: (values['host'] as readonly string[] | undefined) ?? [],
      structured: values['structured'] === true,
      writeTimeoutMs: writeTimeoutOf(parsed),
      maxConnections: optionNumber(values, 'max-connections', {
        what: 'a number of connections from 1 to 999,999',
        example: 256,
        isValid: isWholeBetween(1, 999_999),
      }),
      log: err,
    });
    if (err.isTTY) err.write(`${greeting(serving.address, token !== undefined)}\n`);
    if (linked !== undefined) {
      const message = 'Whoever opens the link of the dashboard is the operator, and sees all clients';
      if (err.isTTY) err.write(`oriel: ${message}:\n`);
      else createLog(err)('dashboard', { message });
      streams.out.write(`${addressText(serving.address)}/#token=${linked}\n`);
    }
    if (!signal.aborted)
      await new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }));
    await serving.close();
    await offer.close();
    return 0;
  },
};

function greeting(address: ListenAddress, needsToken: boolean): string {
  const token = needsToken ? ` -H "Authorization: Bearer $TOKEN"` : '';
  if (address.kind === 'socket')
    return `oriel: to try it, curl${token} --unix-socket ${shellWord(address.path)} http://localhost/api/v0/tools`;
  const url = addressText(address);
  const header = needsToken ? ' --header "Authorization: Bearer $TOKEN"' : '';
  return (
    `oriel: to try it, curl${token} ${url}/api/v0/tools; for an agent, ` +
    `claude mcp add --transport http oriel ${url}/mcp${header} (oriel read oriel://hosts.md has the others); the dashboard is at ${url}/`
  );
}
