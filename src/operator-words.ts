/**
 * Explains how the operator can allow something that is refused: with an option of the library, of a command
 * or of a server, depending on how oriel was started.
 */

import type { OrielOptions } from './options.ts';
import type { OperatorWords } from './types/settings.ts';

const option = (name: string): string => `with the option ${name}`;

const LIBRARY: OperatorWords = {
  web: 'by leaving out web: false',
  objects: 'by leaving out s3: false',
  mcpServers: option('mcpServers'),
  workspaces: option('workspaces'),
  agentOutputs: option('agentOutputs'),
  userFiles: 'with userFiles: true',
  allowWeb: "with web: { allow: ['HOST'] }",
  allowObjects: "with s3: { allow: ['HOST'] }",
};

const COMMAND: OperatorWords = {
  web: 'by leaving out --offline',
  objects: 'by leaving out --offline',
  mcpServers: 'with --mcp-resources',
  workspaces: 'with --workspace NAME=URL',
  agentOutputs: 'with --agent-outputs DIR',
  userFiles: 'with --user-files',
  allowWeb: 'with --allow-net HOST',
  allowObjects: 'with --allow-net HOST',
};

const SERVER: OperatorWords = {
  ...COMMAND,
  web: 'with --web, and without --offline',
  objects: 'with --s3 BUCKET, and without --offline',
};

const WAYS = { command: COMMAND, server: SERVER } as const;

const WAY = Symbol('the way in');

/** Options that were made of those of a command or a server. A copy of them is so too. */
export interface MadeOptions {
  readonly [WAY]?: keyof typeof WAYS;
}

export function madeFor(way: keyof typeof WAYS): MadeOptions {
  return { [WAY]: way };
}

export function wordsFor(options: OrielOptions & MadeOptions): OperatorWords {
  const way = options[WAY];
  return way ? WAYS[way] : LIBRARY;
}
