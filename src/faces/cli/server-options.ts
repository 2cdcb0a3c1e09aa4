/** The options that all servers share, and `oriel mcp`, which has few others. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOrielError, OrielError } from '../../errors.ts';
import { missingProc } from '../../files/descriptors.ts';
import { missingConfinement } from '../../process/confinement.ts';
import { RUNTIME } from '../../process/runtime.ts';
import { fromWorkingDirectory, isPathWithin } from '../../files/paths.ts';
import { rootAt } from '../../files/roots.ts';
import { startProcess } from '../../process/start.ts';
import type { StateOptions } from '../../session/shared.ts';
import type { OfferOptions } from '../offer.ts';
import { denied, mcpServersIn, orielOptions } from './dialect-tool.ts';
import {
  type CliCommand,
  type CliOption,
  type CliStreams,
  optionNumber,
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
    value: 'URL',
    help: 'share kept outputs and caches with other replicas: redis://, rediss:// or postgres:// (default file:, shared with none)',
  },
  {
    name: 'state-file',
    rare: true,
    value: 'FILE',
    help: 'read the URL of --state from FILE: one with a password is in no process list then',
  },
  {
    name: 'state-key-file',
    rare: true,
    value: 'FILE',
    help: 'the key of all replicas, which encrypts what they share (openssl rand -hex 32)',
  },
  {
    name: 'state-timeout',
    rare: true,
    value: 'SECONDS',
    help: 'timeout for the shared store; work then continues without it (default 1)',
  },
];

/** For servers, which have kept outputs. */
const spaceOption: CliOption = {
  name: 'state-space',
  rare: true,
  value: 'NAME',
  help: 'share with all that use the same NAME; use different ones for people whose outputs must stay separate (default common)',
};

/** For servers, which send work to workers. */
const workersOption: CliOption = {
  name: 'workers',
  rare: true,
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
  const seconds = optionNumber(values, 'state-timeout', {
    what: 'seconds above 0, at most 60',
    example: 1,
    isValid: (text) => Number(text) > 0 && Number(text) <= 60,
  });
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
      timeoutMs: seconds && seconds * 1_000,
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

export const serverOptions: readonly CliOption[] = [
  ...servingOptions,
  {
    name: 'allow-bash',
    help: 'offer the tools that do more than read, above all bash',
  },
  {
    name: 'tools',
    value: 'NAME,…',
    help: 'offer only these tools, for instance read',
  },
  {
    name: 'deferred',
    help: "over MCP, leave the tools to the host's search instead of asking it to show read and grep at once",
  },
  {
    name: 'ignore-client-roots',
    rare: true,
    help: 'ignore the roots that MCP clients declare (on another machine they name its directories)',
  },
  {
    name: 'structured',
    rare: true,
    help: 'over MCP, put text and facts into structuredContent too (hosts then show that instead of the text)',
  },
  {
    name: 'write-timeout',
    rare: true,
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

/** The value of `--write-timeout`, in milliseconds. Throws `BAD_INPUT`. */
export function writeTimeoutOf({ values }: ParsedArguments): number | undefined {
  const seconds = optionNumber(values, 'write-timeout', {
    what: 'seconds above 0, at most 999,999',
    example: 30,
    isValid: (text) => Number(text) > 0 && Number(text) < 1e6,
  });
  return seconds && seconds * 1_000;
}

// `oriel mcp`.

/** For a person who starts the command in a terminal. */
const GREETING =
  'oriel mcp waits for an agent on stdin: add it to yours, for instance with claude mcp add oriel -- oriel mcp ' +
  '(oriel read oriel://hosts.md has the others), or press Ctrl-D to end it.';

/** Whether the working directory is a repository of which an agent can ask for the map, and the map may be cached. */
function hasMaps(
  { values }: ParsedArguments,
  { cwd, dialect = 'oriel', read, cache, tools = ['read'] }: OfferOptions,
): boolean {
  // The call for it would be recorded as one of the agent's. Deno tells no process its own permissions.
  if (values['telemetry'] !== undefined || dialect !== 'oriel' || RUNTIME === 'deno') return false;
  const isAsked = tools.includes('read') && read?.summarize !== false && cache !== false;
  return isAsked && existsSync(join(cwd ?? '.', '.git'));
}

/** Milliseconds between the first answer and the making of the map. */
const MAP_AHEAD_MS = 2_000;

const NEWLINE = 0x0a;

/**
 * Makes the map of the working directory before an agent asks for it: a copy of this process is asked, which leaves the CPU to
 * others, and gives back its memory when it ends. What it finds is in the cache of the user.
 */
function mapAhead(): { begin(client: string): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const ended = new AbortController();
  return {
    begin(client) {
      timer ??= setTimeout(
        () => void askCopy(client, ended.signal).catch(() => undefined),
        MAP_AHEAD_MS,
      ).unref();
    },
    end() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}

/** Asks a copy of this process for the map that a client of this name would get. */
async function askCopy(client: string, signal: AbortSignal): Promise<void> {
  const { constants, setPriority } = await import('node:os');
  const args = [...process.execArgv, ...process.argv.slice(1)];
  // It would end its work first when it is asked to end, and this process would wait for it.
  const child = startProcess(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => undefined).unref();
  const { stdin, stdout, pid } = child;
  if (!stdin || !stdout || pid === undefined) return;
  setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  stdin.on('error', () => undefined);
  const greeting = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: client, version: '' },
  };
  const messages = [
    { id: 1, method: 'initialize', params: greeting },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'read', arguments: { path: '.:outline' } } },
  ];
  for (const message of messages) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let answers = 0;
  for await (const text of stdout as AsyncIterable<Buffer>) {
    answers += text.filter((byte) => byte === NEWLINE).length;
    if (answers >= 2) stdin.end();
  }
}

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
    const ahead = hasMaps(parsed, options) ? mapAhead() : undefined;
    await offerOverStdio(
      options,
      {
        input: process.stdin,
        output: out,
        signal,
        warn: (sentence) => void err.write(`oriel: ${sentence}\n`),
        writeTimeoutMs: writeTimeoutOf(parsed),
      },
      { structured: parsed.values['structured'] === true, onAnswered: ahead?.begin },
    );
    ahead?.end();
    // Output that the host has not read by now would keep the process alive. A signal is not a failure.
    if (out.writableLength > 0) process.exit(0);
    return 0;
  },
};
