/** `oriel serve`, and `oriel worker`, which does heavy work for servers that share a state. */

import { requireSibling } from '../../files/package-files.ts';
import { within } from '../../queues/caller.ts';
import type { StateOptions } from '../../session/shared.ts';
import { shellWord } from '../../text/visible.ts';
import type { WorkHandler } from '../../types/state.ts';
import { addressText, type ListenAddress, parseAddress } from '../http/guard.ts';
import { type CliCommand, type CliStreams, type ExitCode, isWholeBetween, optionNumber } from './options.ts';
import {
  offerOptions,
  serverOptions,
  stateFromOptions,
  stateOptions,
  writeTimeoutOf,
} from './server-options.ts';
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
    const [{ createOffer }, { refuseWithoutKey, serve }, { isLocalAddress, newToken }, { createLog }] =
      await Promise.all([
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

const MAX_KIND_JOBS = 2;

const MAX_JOBS_PER_MINUTE = 100_000;

export const workerCommand: CliCommand = {
  name: 'worker',
  operands: '',
  help: 'do heavy work for servers; their documents, images and texts, when started with --workers and the same --state',
  options: [
    {
      name: 'jobs',
      value: 'N',
      help: `jobs of each kind at once, 1 or ${MAX_KIND_JOBS} (default ${MAX_KIND_JOBS}); each may take a core and 1 GiB of memory`,
    },
    {
      name: 'rate',
      value: 'N',
      help: 'jobs of each kind that all workers together begin within a minute (default: any number); give all of them the same',
    },
    {
      name: 'metrics',
      value: 'ADDRESS',
      help: 'answer /healthz and /metrics at HOST:PORT or unix:PATH, without a token',
    },
    ...stateOptions,
  ],
  serves: true,
  async run({ values }, streams) {
    const metrics = values['metrics'] as string | undefined;
    const { state } = stateFromOptions(values, (warning) => void streams.err.write(`oriel: ${warning}\n`));
    const settings = {
      handlers: await workHandlers(),
      jobs:
        optionNumber(values, 'jobs', {
          what: `1 to ${MAX_KIND_JOBS}`,
          example: 1,
          isValid: isWholeBetween(1, MAX_KIND_JOBS),
        }) ?? MAX_KIND_JOBS,
      perMinute: optionNumber(values, 'rate', {
        what: `1 to ${MAX_JOBS_PER_MINUTE}`,
        example: 60,
        isValid: isWholeBetween(1, MAX_JOBS_PER_MINUTE),
      }),
      address: metrics === undefined ? undefined : parseAddress(metrics, '--metrics'),
      state,
    };
    return (requireSibling('scale', await workerHost()) as WorkerPackage).runWorker(settings, streams);
  },
};

export interface WorkerSettings {
  readonly handlers: readonly WorkHandler[];
  /** Maximum concurrent jobs of each kind. */
  readonly jobs: number;
  /** Maximum jobs of each kind that all workers together start per minute. */
  readonly perMinute: number | undefined;
  /** Where it answers `/healthz` and `/metrics`. */
  readonly address: ListenAddress | undefined;
  readonly state: StateOptions | undefined;
}

/** What the package @oriel/scale does for `oriel worker`. */
export interface WorkerPackage {
  runWorker(settings: WorkerSettings, streams: CliStreams): Promise<ExitCode>;
}

/** All that it uses of this one. */
// oxlint-disable-next-line typescript/explicit-function-return-type
export async function workerHost() {
  const { createLog, familyText, labels, stateFamilies } = await import('../http/metrics.ts');
  const { listenFor } = await import('../http/listen.ts');
  const shared = await import('../../session/shared-host.ts');
  return { ...shared, addressText, createLog, familyText, labels, listenFor, stateFamilies, within };
}

/** The jobs that a worker does for replicas. To add one, write a handler and a row here. */
export async function workHandlers(): Promise<readonly WorkHandler[]> {
  const [{ convertJob }, { decodeJob }, { outlineJob }] = await Promise.all([
    import('../../formats/document/convert.ts'),
    import('../../formats/image/decode.ts'),
    import('../../code/parsed.ts'),
  ]);
  return [convertJob, decodeJob, outlineJob];
}
