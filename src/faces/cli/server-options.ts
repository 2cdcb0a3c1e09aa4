/** The options that all servers share. */

import type { Option, Parsed, Streams } from './command.ts';
import { resolve } from 'node:path';
import { missingProc } from '../../access/descriptors.ts';
import { within } from '../../access/paths.ts';
import type { Served } from '../../engine/preload.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { OfferOptions } from '../offer.ts';
import { spaceOption, stateOf, stateOptions, workersOption } from './state-options.ts';
import { fleetOf, workspaceOptions } from './workspaces.ts';
import { mcpServersIn } from './mcp-servers.ts';
import { servingOptions } from './option-table.ts';
import { orielOptions } from './oriel-options.ts';

export const serverOptions: readonly Option[] = [
  ...workspaceOptions,
  {
    name: 'allow-bash',
    type: 'boolean',
    help: 'offer the tools that do more than read, above all bash',
  },
  {
    name: 'ignore-client-roots',
    type: 'boolean',
    help: 'ignore the roots that MCP clients declare (on another machine they name its directories)',
  },
  {
    name: 'structured',
    type: 'boolean',
    help: 'over MCP, put text and facts into structuredContent too (hosts then show that instead of the text)',
  },
  {
    name: 'write-timeout',
    type: 'string',
    value: 'SECONDS',
    help: 'disconnect a client that has read nothing for so long (default 30)',
  },
  ...stateOptions,
  spaceOption,
  workersOption,
  ...servingOptions,
];

/**
 * Servers always have roots: the directories given as operands or by --root, otherwise the working directory. Where the
 * process was started outside the roots (by a desktop application, in `/`), the first root is the working directory.
 */
export async function offerOptions(
  { values, operands }: Parsed,
  streams: Pick<Streams, 'err' | 'signal' | 'tokens'>,
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
  const roots = [...given, ...operands].map((directory) => resolve(directory));
  const [first] = roots;
  const outside = first !== undefined && !roots.some((root) => within(process.cwd(), root));
  const missing = missingProc();
  if (missing !== undefined) streams.err.write(`oriel: ${missing}\n`);
  return {
    ...(outside && { cwd: first }),
    roots,
    ...options,
    telemetry: {
      ...(telemetry && telemetry.file !== undefined && { file: telemetry.file }),
      ...(task !== undefined && { task }),
    },
    ...(outside && mcpServersIn(first, values)),
    ...(values['web'] !== true && { web: false as const }),
    ...(values['s3'] === undefined && { s3: false as const }),
    ...stateOf(values, (warning) => void streams.err.write(`oriel: ${warning}\n`)),
    ...(await fleetOf(values, streams)),
    allowBash: values['allow-bash'] === true,
    ignoreClientRoots: values['ignore-client-roots'] === true,
  };
}

/** The parts to load before the first call. */
export function servedBy({ web, s3, mcpServers, workspaces }: OfferOptions): Served {
  return {
    web: web !== false,
    objects: s3 !== false,
    mcp: mcpServers !== undefined,
    workspaces: workspaces !== undefined,
  };
}

/** The value of `--write-timeout`. Throws `BAD_INPUT`. */
export function writeTimeoutOf({ values }: Parsed): { readonly writeTimeoutMs?: number } {
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
export function maxConnectionsOf({ values }: Parsed): { readonly maxConnections?: number } {
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
