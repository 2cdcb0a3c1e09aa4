/** Reads the MCP servers of a project from its `.mcp.json`, for the option --mcp-resources. */

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errno } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { COMMAND } from '../../operator-words.ts';
import type { OrielOptions } from '../../options.ts';
import { shellWord } from '../../text/shell.ts';
import { quote } from '../../text/visible.ts';
import type { McpServer, ReachedMcpServer } from '../../types/settings.ts';
import type { Values } from './command.ts';
import { allowNet, mcpApprove, mcpEnv } from './option-table.ts';

const FILE = '.mcp.json';
const MOST_BYTES = 1 << 20;

/**
 * The file is read once when oriel starts, so that changes by an agent have no effect. The project wrote it, so its servers are
 * reached only if the operator approved it as it is, with no variable and no address that the operator does not allow. Empty
 * without the option. Throws `BAD_INPUT` for an invalid file.
 */
export function mcpServersIn(directory: string, values: Values): Pick<OrielOptions, 'mcpServers'> {
  if (values['mcp-resources'] !== true) return {};
  const list = (name: string): readonly string[] => (values[name] as readonly string[] | undefined) ?? [];
  const path = join(directory, FILE);
  const { entries, sha256 } = configured(path);
  const approval = `${path}=${sha256}`;
  const isApproved = list(mcpApprove.name).includes(approval);
  const variables = new Set(list(mcpEnv.name));
  const addresses = { allow: list(allowNet.name), howToAllow: COMMAND.allowWeb };
  const servers = Object.entries(entries).flatMap(([name, entry]): [string, McpServer][] => {
    if (!isApproved) return [[name, { refused: notApproved(path, approval) }]];
    const missing = new Set<string>();
    const server = serverOf(expanded(entry ?? {}, variables, missing));
    // With --offline there are no network requests.
    if (!server || ('url' in server && values['offline'] === true)) return [];
    if (missing.size > 0) return [[name, { refused: notGiven(name, [...missing]) }]];
    return [[name, 'url' in server ? { ...server, addresses } : server]];
  });
  return { mcpServers: Object.fromEntries(servers) };
}

function notApproved(path: string, approval: string): string {
  return (
    `${quote(path)} names programs to start and addresses to ask, and is not approved. ` +
    `The operator of oriel can look at it and approve it as it is now with --mcp-approve ${shellWord(approval)}.`
  );
}

function notGiven(name: string, missing: readonly string[]): string {
  const options = missing.map((variable) => `--mcp-env ${variable}`).join(' ');
  return `The MCP server ${quote(name)} uses variables of the environment that are not given to it. The operator of oriel can allow them with ${options}.`;
}

/** The entries of the file, and the digest of its bytes. */
function configured(path: string): {
  readonly entries: Readonly<Record<string, unknown>>;
  readonly sha256: string;
} {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MOST_BYTES) throw new Error('not a file of at most 1 MiB');
    const bytes = readFileSync(path);
    const { mcpServers: entries = {} } = JSON.parse(bytes.toString('utf8')) as {
      readonly mcpServers?: Readonly<Record<string, unknown>>;
    };
    if (typeof entries !== 'object' || entries === null) throw new Error('mcpServers is no object');
    return { entries, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return { entries: {}, sha256: '' };
    throw new OrielError(
      'BAD_INPUT',
      `${quote(path)} cannot be read as a list of MCP servers: ${quote((cause as Error).message)}. Use it without --mcp-resources, or repair the file.`,
      { cause },
    );
  }
}

/** Undefined for an unsupported transport (`sse`). An entry without command and URL is refused later, as an option. */
function serverOf(entry: unknown): ReachedMcpServer | undefined {
  const { type, command, args, env, url, headers } = entry as Readonly<Record<string, never>>;
  if (type === 'sse') return undefined;
  return {
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers }),
  } as ReachedMcpServer;
}

/**
 * Expands `${NAME}` and `${NAME:-value}`, as Claude Code does, if NAME is one of `variables`; another is unset, and is added to
 * `missing` if it has no value here.
 */
function expanded(value: unknown, variables: ReadonlySet<string>, missing: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, name: string, otherwise: string | undefined) => {
        if (!variables.has(name) && otherwise === undefined) missing.add(name);
        return (variables.has(name) ? process.env[name] : undefined) ?? otherwise ?? whole;
      },
    );
  }
  if (Array.isArray(value)) return value.map((inner) => expanded(inner, variables, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, expanded(inner, variables, missing)]),
  );
}
