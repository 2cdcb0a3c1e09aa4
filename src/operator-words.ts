/**
 * Phrases that name the option with which the operator can allow what is refused. They depend on how oriel was started: as a
 * library, or by its command line.
 */

import type { OrielOptions } from './options.ts';
import type { OperatorWords } from './types/settings.ts';

const option = (name: string): string => `with the option ${name}`;

const LIBRARY: OperatorWords = {
  web: 'with web: true',
  objects: 'with s3: true',
  mcpServers: option('mcpServers'),
  workspaces: option('workspaces'),
  agentOutputs: option('agentOutputs'),
  userFiles: 'with userFiles: true',
  allowWeb: "with web: { allow: ['HOST'] }",
  allowObjects: "with s3: { allow: ['HOST'] }",
};

export const COMMAND: OperatorWords = {
  web: 'with --web, and without --offline',
  objects: 'with --s3 BUCKET, and without --offline',
  mcpServers: 'with --mcp-resources',
  workspaces: 'with --workspace NAME=URL',
  agentOutputs: 'with --agent-outputs DIR',
  userFiles: 'with --user-files',
  allowWeb: 'with --allow-net HOST',
  allowObjects: 'with --allow-net HOST',
};

const START = Symbol('how oriel was started');

/** Marks options that come from the command line. A spread copies the mark. */
export interface StartMark {
  readonly [START]?: OperatorWords;
}

export const startedByCommand: StartMark = { [START]: COMMAND };

export function wordsFor(options: OrielOptions & StartMark): OperatorWords {
  return options[START] ?? LIBRARY;
}
