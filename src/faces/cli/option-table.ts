/** The table of options that several commands share: for parsing, help, completions and docs. */

import { dialectNames } from '../../dialects/dialect-table.ts';
import { limitNames } from '../../limits.ts';
import type { Option } from './command.ts';

export const DISPLAYS = ['numbers', 'hashline', 'plain'] as const;

export const cwd: Option = {
  name: 'cwd',
  type: 'string',
  value: 'DIR',
  help: 'resolve relative paths against DIR',
};

export const root: Option = {
  name: 'root',
  type: 'string',
  multiple: true,
  value: 'DIR',
  help: 'read nothing outside DIR (repeatable; without it nothing is outside)',
};

/** The option `--root` of servers, which always have roots. */
const serverRoot: Option = {
  ...root,
  help: 'read nothing outside DIR (repeatable; without it nothing outside the working directory)',
};

export const allow: Option = {
  name: 'allow',
  type: 'string',
  multiple: true,
  value: 'DIR',
  help: 'read kernel files below DIR (/proc) (repeatable)',
};

export const dialect: Option = {
  name: 'dialect',
  type: 'string',
  value: 'NAME',
  choices: dialectNames,
  help: `tool surface: ${dialectNames.join(', ')} (default oriel)`,
};

export const limits: Option = {
  name: 'limits',
  type: 'string',
  value: 'NAME=N,…',
  help: `budget of one answer, such as lines=500,bytes=20K: ${limitNames.join(', ')}`,
};

export const display: Option = {
  name: 'display',
  type: 'string',
  value: 'HOW',
  choices: DISPLAYS,
  help: 'how the dialect oriel shows lines: numbers (N|text), hashline (anchors for edits) or plain (default numbers)',
};

export const agentOutputs: Option = {
  name: 'agent-outputs',
  type: 'string',
  value: 'DIR',
  help: 'read the files of DIR as agent://NAME: outputs of other agents',
};

export const userFiles: Option = {
  name: 'user-files',
  type: 'boolean',
  help: "read the user's own skills and notes as skill:// and memory://, also where they are outside the roots",
};

export const web: Option = {
  name: 'web',
  type: 'boolean',
  help: 'read pages of the web (servers, and commands with --root, only with this)',
};

const offline: Option = {
  name: 'offline',
  type: 'boolean',
  help: 'read nothing over the network: no pages of the web, no objects of S3',
};

export const allowNet: Option = {
  name: 'allow-net',
  type: 'string',
  multiple: true,
  value: 'HOST|CIDR[:PORT]',
  help: 'read from this host or range although it is not public: localhost:8080, 10.0.0.0/8 (repeatable)',
};

export const s3: Option = {
  name: 's3',
  type: 'string',
  multiple: true,
  value: 's3://BUCKET/PREFIX',
  help: 'read objects there and nowhere else; s3:// for all that the credentials may read (servers, and commands with --root, only with this; repeatable)',
};

export const s3Endpoint: Option = {
  name: 's3-endpoint',
  type: 'string',
  value: 'URL',
  help: 'the server of s3://, in place of AWS_ENDPOINT_URL_S3: http://localhost:9000',
};

export const noCache: Option = {
  name: 'no-cache',
  type: 'boolean',
  help: 'cache nothing on disk, and use nothing that is cached there',
};

const mcpResources: Option = {
  name: 'mcp-resources',
  type: 'boolean',
  help: 'read resources of the MCP servers in .mcp.json as mcp://SERVER/URI; to read one starts its command',
};

export const mcpApprove: Option = {
  name: 'mcp-approve',
  type: 'string',
  multiple: true,
  value: 'FILE=SHA256',
  help: 'with --mcp-resources, reach the servers of this .mcp.json while it is as it was when you looked at it (repeatable)',
};

export const mcpEnv: Option = {
  name: 'mcp-env',
  type: 'string',
  multiple: true,
  value: 'NAME',
  help: 'let an approved .mcp.json use this variable of the environment (repeatable; without it none)',
};

/** Options for reading from the network. */
const webOptions: readonly Option[] = [
  web,
  offline,
  allowNet,
  s3,
  s3Endpoint,
  mcpResources,
  mcpApprove,
  mcpEnv,
];

export const telemetry: Option = {
  name: 'telemetry',
  type: 'string',
  value: 'FILE',
  help: 'append an event of each call to FILE, as JSON Lines without any content; oriel report FILE reads it',
};

export const task: Option = {
  name: 'task',
  type: 'string',
  value: 'NAME',
  help: 'the task of calls that name none, for telemetry (default one for each session, or working directory)',
};

export const json: Option = {
  name: 'json',
  type: 'boolean',
  help: 'print the whole answer as JSON, one object a line',
};

/** Options on which every tool depends. */
const engineOptions: readonly Option[] = [cwd, root, allow, dialect, limits, telemetry, task];

/** Options of servers. */
export const servingOptions: readonly Option[] = [
  ...engineOptions.map((option) => (option === root ? serverRoot : option)),
  display,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
];

/** Options of commands that call a tool and print its answer. */
export const callOptions: readonly Option[] = [...engineOptions, json];

/** Options of commands whose answer may show lines of a file. */
export const readOptions: readonly Option[] = [
  ...engineOptions,
  display,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
  json,
];

/** Options of commands that describe tools. */
export const describeOptions: readonly Option[] = [dialect, limits, json];

/** Options that several commands share; each command lists its own. */
export const sharedOptions: readonly Option[] = readOptions;

/** Options of every command. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', type: 'boolean', help: 'print the stack of every unexpected error on stderr' },
  { name: 'help', type: 'boolean', short: 'h', help: 'show this help' },
];

/** The only option without a command. */
export const versionOption: Option = {
  name: 'version',
  type: 'boolean',
  short: 'V',
  help: 'show the version',
};

/** An option in help and in the manual: `-l, --limits LIMITS`, and its description. */
export function optionRow({ name, short, value, help }: Option): readonly [string, string] {
  return [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, help];
}
