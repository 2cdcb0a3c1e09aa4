/** The options that all servers share, and `oriel mcp`, which has few others. */

import { isOrielError, OrielError } from '../../errors.ts';
import { missingProc } from '../../files/descriptors.ts';
import { missingConfinement } from '../../process/confinement.ts';
import { RUNTIME } from '../../process/runtime.ts';
import { fromWorkingDirectory, isPathWithin } from '../../files/paths.ts';
import { rootAt } from '../../files/roots.ts';
import { compileEarly } from '../../process/compile-budget.ts';
import type { StateOptions } from '../../state/open-state.ts';
import { quote } from '../../text/visible.ts';
import type { OfferOptions } from '../offer.ts';
import { denied, mcpServersIn, orielOptions } from './dialect-tool.ts';
import {
  type CliCommand,
  type CliOption,
  type CliStreams,
  type OptionValues,
  type ParsedArguments,
  servingOptions,
} from './options.ts';
import { fleetOf, makeSecret, readSecret, workspaceOptions } from './workspaces.ts';

// Options for the shared store of replicas: `--state URL` and the encryption key.

export const stateOptions: readonly CliOption[] = [
  {
    name: 'state',
    rare: true,
    type: 'string',
    value: 'URL',
    help: 'share kept outputs and caches with other replicas: redis://, rediss:// or postgres:// (default file:, shared with none)',
  },
  {
    name: 'state-file',
    rare: true,
    type: 'string',
    value: 'FILE',
    help: 'read the URL of --state from FILE: one with a password is in no process list then',
  },
  {
    name: 'state-key-file',
    rare: true,
    type: 'string',
    value: 'FILE',
    help: 'the key of all replicas, which encrypts what they share (openssl rand -hex 32)',
  },
  {
    name: 'state-timeout',
    rare: true,
    type: 'string',
    value: 'SECONDS',
    help: 'timeout for the shared store; work then continues without it (default 1)',
  },
];

/** For servers, which have kept outputs. */
const spaceOption: CliOption = {
  name: 'state-space',
  rare: true,
  type: 'string',
  value: 'NAME',
  help: 'share with all that use the same NAME; use different ones for people whose outputs must stay separate (default common)',
};

/** For servers, which send work to workers. */
const workersOption: CliOption = {
  name: 'workers',
  rare: true,
  type: 'boolean',
  help: 'let oriel worker processes on the same Redis or Valkey do heavy work, if there are any',
};

/** Throws `BAD_INPUT`; messages never contain a password. `warn` is called for files that others can read. */
export function stateFromOptions(
  values: OptionValues,
  warn: (text: string) => void,
): { readonly state?: StateOptions | undefined } {
  const secretIn = (path: string, what: string, remedy: string): string => {
    const { text, warning } = readSecret(path, what, remedy);
    if (warning !== undefined) warn(warning);
    return text.trim();
  };
  const [given, file, keyFile] = ['state', 'state-file', 'state-key-file'].map(
    (name) => values[name] as string | undefined,
  );
  if (given !== undefined && file !== undefined)
    throw new OrielError('BAD_INPUT', 'The state has two URLs. Use --state-file FILE without --state.');
  if (given !== undefined && hasPassword(given)) {
    throw new OrielError(
      'BAD_INPUT',
      'Other users could read the password of --state in the list of processes. Put the URL into a private file, and use --state-file FILE.',
    );
  }
  const url =
    file === undefined
      ? given
      : secretIn(file, 'URL', 'Use a file with the URL in it that only you may read.');
  const timeout = timeoutOf(values);
  if (url === undefined) {
    const alone = ['state-key-file', 'state-space', 'state-timeout', 'workers'].find(
      (name) => values[name] !== undefined,
    );
    if (alone === undefined) return {};
    throw new OrielError(
      'BAD_INPUT',
      `--${alone} is for a shared state. Use it with --state URL or --state-file FILE.`,
    );
  }
  const key = keyFile === undefined ? undefined : secretIn(keyFile, 'key', makeSecret(keyFile));
  return {
    state: {
      url,
      ...(key !== undefined && { key }),
      ...timeout,
      space: values['state-space'] === undefined ? undefined : (values['state-space'] as string),
      workers: values['workers'] === true || undefined,
    },
  };
}

/** Whether the URL has a password; pg also accepts one as a parameter. */
function hasPassword(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && (url.password !== '' || url.searchParams.has('password'));
}

function timeoutOf(values: OptionValues): { readonly timeoutMs?: number | undefined } {
  const text = values['state-timeout'] as string | undefined;
  if (text === undefined) return {};
  if (/^\d{1,2}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= 60)
    return { timeoutMs: Number(text) * 1_000 };
  throw new OrielError(
    'BAD_INPUT',
    `${quote(text)} is not a number of seconds above 0, at most 60. Use --state-timeout 1.`,
  );
}

export const serverOptions: readonly CliOption[] = [
  ...servingOptions,
  {
    name: 'allow-bash',
    type: 'boolean',
    help: 'offer the tools that do more than read, above all bash',
  },
  {
    name: 'tools',
    type: 'string',
    value: 'NAME,…',
    help: 'offer only these tools, for instance read',
  },
  {
    name: 'deferred',
    type: 'boolean',
    help: "over MCP, leave the tools to the host's search instead of asking it to show read and grep at once",
  },
  {
    name: 'ignore-client-roots',
    rare: true,
    type: 'boolean',
    help: 'ignore the roots that MCP clients declare (on another machine they name its directories)',
  },
  {
    name: 'structured',
    rare: true,
    type: 'boolean',
    help: 'over MCP, put text and facts into structuredContent too (hosts then show that instead of the text)',
  },
  {
    name: 'write-timeout',
    rare: true,
    type: 'string',
    value: 'SECONDS',
    help: 'disconnect a client that has read nothing for so long (default 30)',
  },
  ...stateOptions,
  spaceOption,
  workersOption,
  ...workspaceOptions,
];

/**
 * Servers always have roots: the directories given as operands or by --root, otherwise the working directory. Where the
 * process was started outside the roots (by a desktop application, in `/`), the first root is the working directory.
 */
export async function offerOptions(
  { values, operands }: ParsedArguments,
  streams: Pick<CliStreams, 'err' | 'signal' | 'tokens'>,
): Promise<OfferOptions> {
  // A server is one session: its kept outputs are deleted when it ends.
  // A server records telemetry in memory too, not only in a file.
  const task = values['task'] as string | undefined;
  const {
    spills: _,
    telemetry,
    roots: given = [],
    ...options
  } = orielOptions({ ...values, task: undefined });
  const roots = servedRoots(
    [...given, ...operands],
    (warning) => void streams.err.write(`oriel: ${warning}\n`),
  );
  const [first] = roots;
  const outside = first !== undefined && !roots.some((root) => isPathWithin(process.cwd(), root));
  for (const missing of [missingProc(), RUNTIME === 'bun' ? missingConfinement() : undefined])
    if (missing !== undefined) streams.err.write(`oriel: ${missing}\n`);
  return {
    ...options,
    cwd: options.cwd ?? (outside ? first : undefined),
    roots,
    deny: denied(values),
    telemetry: {
      file: telemetry ? telemetry.file : undefined,
      task,
    },
    ...(outside && mcpServersIn(first, values)),
    ...(values['web'] !== true && { web: false as const }),
    ...(values['s3'] === undefined && { s3: false as const }),
    ...stateFromOptions(values, (warning) => void streams.err.write(`oriel: ${warning}\n`)),
    ...(await fleetOf(values, streams)),
    allowBash: values['allow-bash'] === true,
    tools: (values['tools'] as string | undefined)?.split(',').map((name) => name.trim()),
    deferred: values['deferred'] === true,
    ignoreClientRoots: values['ignore-client-roots'] === true,
  };
}

/** Without those that are not directories, if there are others: one that is not mounted does not end the server. Throws OrielError. */
function servedRoots(directories: readonly string[], warn: (sentence: string) => void): string[] {
  const failures: OrielError[] = [];
  const roots = directories.map(fromWorkingDirectory).filter((directory) => {
    try {
      return rootAt(directory);
    } catch (error) {
      if (!isOrielError(error)) throw error;
      failures.push(error);
      return false;
    }
  });
  const [failure] = failures;
  if (failure && roots.length === 0) throw failure;
  for (const { message } of failures) warn(`${message} The others are served without it.`);
  return roots;
}

/** The value of `--write-timeout`. Throws `BAD_INPUT`. */
export function writeTimeoutOf({ values }: ParsedArguments): {
  readonly writeTimeoutMs?: number | undefined;
} {
  const text = values['write-timeout'] as string | undefined;
  if (text === undefined) return {};
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0) {
    throw new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not a number of seconds above 0. Use --write-timeout 30.`,
    );
  }
  return { writeTimeoutMs: Number(text) * 1_000 };
}

/** The value of `--max-connections`. Throws `BAD_INPUT`. */
export function maxConnectionsOf({ values }: ParsedArguments): {
  readonly maxConnections?: number | undefined;
} {
  const text = values['max-connections'] as string | undefined;
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not a number of connections from 1 to 999,999. Use --max-connections 256.`,
    );
  }
  return { maxConnections: Number(text) };
}

// `oriel mcp`.

/** For a person who starts the command in a terminal. */
const GREETING =
  'oriel mcp waits for an agent on stdin: add it to yours, for instance with claude mcp add oriel -- oriel mcp ' +
  '(oriel read oriel://hosts.md has the others), or press Ctrl-D to end it.';

/** Milliseconds after which the start is over, which optimizing would slow down. */
const STARTED_MS = 1_500;

export const mcpCommand: CliCommand = {
  name: 'mcp',
  operands: '[DIR…]',
  help: 'serve tools over MCP on stdin and stdout; those of the chosen dialect, within DIR or the working directory',
  options: serverOptions,
  serves: true,
  async run(parsed, streams) {
    const { out, err, signal } = streams;
    if (process.stdin.isTTY) err.write(`${GREETING}\n`);
    // Messages of libraries go to stderr, because stdout is for the protocol.
    console.log = console.info = console.debug = console.error;
    const { offerOverStdio } = await import('../mcp/serve-stdio.ts');
    const options = await offerOptions(parsed, streams);
    setTimeout(compileEarly, STARTED_MS).unref();
    await offerOverStdio(
      options,
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
