/** Reads the MCP servers of a project from its `.mcp.json`, for the option --mcp-resources. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errno } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import type { OrielOptions } from '../../options.ts';
import { quote } from '../../text/visible.ts';
import type { McpServer } from '../../types/settings.ts';
import type { Values } from './command.ts';

const FILE = '.mcp.json';
const MOST_BYTES = 1 << 20;

/**
 * The file is read once when oriel starts, so that changes by an agent have no effect. Empty without the option. Throws
 * `BAD_INPUT` for an invalid file.
 */
export function mcpServersIn(directory: string, values: Values): Pick<OrielOptions, 'mcpServers'> {
  if (values['mcp-resources'] !== true) return {};
  const servers = Object.entries(configured(join(directory, FILE))).flatMap(([name, entry]) => {
    const server = serverOf(entry);
    // With --offline there are no network requests.
    if (!server || ('url' in server && values['offline'] === true)) return [];
    return [[name, server] as const];
  });
  return { mcpServers: Object.fromEntries(servers) };
}

function configured(path: string): Readonly<Record<string, unknown>> {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MOST_BYTES) throw new Error('not a file of at most 1 MiB');
    const { mcpServers = {} } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly mcpServers?: Readonly<Record<string, unknown>>;
    };
    if (typeof mcpServers !== 'object' || mcpServers === null) throw new Error('mcpServers is no object');
    return mcpServers;
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return {};
    throw new OrielError(
      'BAD_INPUT',
      `${quote(path)} cannot be read as a list of MCP servers: ${quote((cause as Error).message)}. Use it without --mcp-resources, or repair the file.`,
      { cause },
    );
  }
}

/** Undefined for an unsupported transport (`sse`). An entry without command and URL is refused later, as an option. */
function serverOf(entry: unknown): McpServer | undefined {
  const { type, command, args, env, url, headers } = expanded(entry ?? {}) as Readonly<Record<string, never>>;
  if (type === 'sse') return undefined;
  return {
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers }),
  } as McpServer;
}

/** Expands `${NAME}` and `${NAME:-value}`, as Claude Code does. Unset variables and oriel's own tokens are not expanded. */
function expanded(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (whole, name: string, otherwise: string | undefined) =>
      name.startsWith('ORIEL_TOKEN') ? whole : (process.env[name] ?? otherwise ?? whole),
    );
  }
  if (Array.isArray(value)) return value.map(expanded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expanded(inner)]));
}
