/**
 * Phrases that name the option with which the operator can allow what is refused. They depend on how oriel was started: as a
 * library, a command or a server.
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

const WORDS = { command: COMMAND, server: SERVER } as const;

const START = Symbol('how oriel was started');

/** Marks options that come from a command or a server. A spread copies the mark. */
export interface StartMark {
  readonly [START]?: keyof typeof WORDS;
}

export function startedAs(start: keyof typeof WORDS): StartMark {
  return { [START]: start };
}

export function wordsFor(options: OrielOptions & StartMark): OperatorWords {
  const start = options[START];
  return start ? WORDS[start] : LIBRARY;
}
