/** The options of the library. `docs/options.md` is generated from these comments. */

import type { OnError } from './call/unexpected.ts';
import type { DialectName } from './dialects/dialect-table.ts';
import { OrielError } from './errors.ts';
import type { DiskCacheOptions } from './session/disk-cache.ts';
import type { SpillOptions } from './session/spills.ts';
import type { StateOptions } from './session/shared.ts';
import type { LimitOptions } from './text/limits.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote } from './text/visible.ts';
import type { Session } from './types/session.ts';
import type {
  OperatorWords,
  RunSettings,
  S3Settings,
  Settings,
  SiteEndpoints,
  WebSettings,
} from './types/settings.ts';

export interface OrielOptions {
  /** The directory against which relative paths are resolved. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Directories outside which nothing is read; if empty, everything may be read. @default [] */
  readonly roots?: readonly string[] | undefined;
  /** Directories in which kernel files may be read, such as `/proc`. @default [] */
  readonly allow?: readonly string[] | undefined;
  /**
   * Files of which tools show the name and nothing else: patterns in gitignore syntax, relative to each root. With a list, also an empty one,
   * the rules hold that hosts read from the project (`.claude/settings.json`, `.cursorignore`, …); see [safety.md](safety.md#files-that-stay-private).
   * @default none
   */
  readonly deny?: readonly string[] | undefined;
  /** The tool surface: names, parameters, limits and wording. @default 'oriel' */
  readonly dialect?: DialectName | undefined;
  /**
   * Limits instead of those of the dialect, lower or higher: `lines`, `answerLines`, `bytes`, `line`, `tokens`, `window`, `windowMax`, `countBytes`.
   * With `unit: 'characters'` the limits `bytes` and `line` count UTF-16 code units, except in the dialects `pi`, `coder` and `zdx`.
   * @default those of the dialect
   */
  readonly limits?: LimitOptions | undefined;
  /** The model that reads the answers: a name in `limitsPerModel`. @default none */
  readonly model?: string | undefined;
  /**
   * Limits of each model that differ from `limits`: a model with a context window of 8,000 tokens needs smaller answers.
   * @default {}
   */
  readonly limitsPerModel?: Readonly<Record<string, LimitOptions>> | undefined;
  /**
   * How lines are shown: `numbers`, `plain`, `hashline` for hosts with an edit tool that accepts its anchors, or
   * `hashline@18` for the edit tool of oh-my-pi 18.
   * @default 'numbers'
   */
  readonly display?: Settings['display'] | undefined;
  /** How `read` shows files: see below. */
  readonly read?: ReadOptions | undefined;
  /** The token counter of the model, for `limits.tokens`. @default four bytes a token */
  readonly tokens?: Settings['tokens'] | undefined;
  /** The timeout of a call in milliseconds; Infinity for none. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** How commands run: see below. */
  readonly run?: Partial<RunSettings> | undefined;
  /** The directory (it must exist) in which other agents store outputs: `agent://ID` is a file `ID.*` in it. @default none */
  readonly agentOutputs?: string | undefined;
  /** Whether the user's own skills and notes (`skill://`, `memory://`) are read even outside the roots. @default false */
  readonly userFiles?: boolean | undefined;
  /** Functions for schemes of your own (`ticket://42`), or in place of built-in ones; `false` removes a scheme. @default {} */
  readonly schemes?: Settings['schemes'] | undefined;
  /**
   * Web pages: `true`, or addresses that may be reached in addition to public ones (`allow`: `HOST|CIDR[:PORT]`), and mirrors of
   * known sites (`endpoints`); `false` turns pages off.
   * @default true without `roots`, false with them
   */
  readonly web?: Partial<WebSettings> | boolean | undefined;
  /**
   * Objects as `s3://BUCKET/KEY`: the URL of the server (`endpoint`), the region, the `buckets` that may be read (`BUCKET`
   * or `BUCKET/PREFIX`), and hosts in addition to public addresses (`allow`); what is absent is as the environment and the AWS files
   * of the user say. `true` for all that these name, `false` turns objects off.
   * @default true without `roots`, false with them
   */
  readonly s3?: Partial<S3Settings> | boolean | undefined;
  /**
   * Servers whose resources `mcp://NAME/URI` reads, in the format of `mcpServers` in `.mcp.json`. Reading a resource starts
   * the command of its server. With `addresses: { allow: [] }` a URL may lead only to public addresses and those in the list.
   * @default none
   */
  readonly mcpServers?: Settings['mcpServers'] | undefined;
  /** Remote workspaces, by the names that tools use. @default {} */
  readonly workspaces?: Settings['workspaces'] | undefined;
  /** Where full outputs are stored, and how much of them: see below. */
  readonly spills?: SpillOptions | undefined;
  /**
   * The cache on disk, which keeps texts of documents, symbols of code, pages and answers of GitHub for later
   * processes: its directory, and its size in bytes (512 MiB); `false` for none.
   * @default a directory below the XDG cache directory
   */
  readonly cache?: DiskCacheOptions | false | undefined;
  /**
   * A store that several replicas share (`redis://…`, `postgres://…`), the key that encrypts its values, and the name of the
   * space in it: see below.
   * @default nothing is shared
   */
  readonly state?: StateOptions | undefined;
  /** How calls are recorded, in memory and in a file: see below; `false` turns it off. */
  readonly telemetry?: TelemetrySettings | false | undefined;
  /**
   * A session that is shared with other instances: its snapshots, spills and caches. Closing one instance closes it for all.
   * @default a separate session
   */
  readonly session?: Session | undefined;
  /** The current time in milliseconds since the epoch, for the ages in listings. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Receives every unexpected error: a bug of oriel, or an exception in a function of these options. @default none */
  readonly onError?: OnError | undefined;
}

export interface ReadOptions {
  /** Lines of a read without an end, at most the line limit. @default the line limit */
  readonly defaultLimit?: number | undefined;
  /** Whether lines have numbers; if false, text is shown as with `display: 'plain'`. @default true */
  readonly lineNumbers?: boolean | undefined;
  /** Whether a `display` with anchors shows them; if false, lines have only numbers. @default true */
  readonly hashLines?: boolean | undefined;
  /** Whether a read of code, prose or a log over 12 KiB is answered with its map. @default true */
  readonly summarize?: boolean | undefined;
  /** Maximum bytes of a map, its notice included; at least 256. @default 8192 */
  readonly mapBytes?: number | undefined;
  /** Whether reads of images are answered with their metadata only. @default false */
  readonly imageMetadataOnly?: boolean | undefined;
}

export interface TelemetrySettings {
  /**
   * The file to which an event of each call is appended, as JSON Lines. It is private, rotated, and never opened through a
   * link. If absent, events are kept only in memory.
   * @default none
   */
  readonly file?: string | undefined;
  /** The task of calls that do not name one. @default a separate one for each session */
  readonly task?: string | undefined;
  /** Whether the `details` of each answer contain the totals of its task so far. @default false */
  readonly totals?: boolean | undefined;
}

// Checks the names and types of options: with a misspelt `roots` that is ignored, everything could be read.

/** The type of a value, as a noun. */
type OptionType =
  | 'a string'
  | 'a list of strings'
  | 'a number'
  | 'a number above 0, or Infinity for no limit'
  | 'a number of at least 256'
  | 'true or false'
  | 'a function'
  | 'the session of an instance (oriel.session)'
  | 'an object'
  | 'an object of strings'
  | 'an object, true or false'
  | 'an object, or false';

/** A type; or the list of valid words; or the rules of the options in an object. */
type Rule = OptionType | readonly string[] | Rules;
interface Rules {
  readonly [name: string]: Rule;
}

function isOf(type: OptionType, value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  switch (type) {
    case 'a string':
      return typeof value === 'string';
    case 'a list of strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'a number':
      return typeof value === 'number';
    case 'a number above 0, or Infinity for no limit':
      return typeof value === 'number' && value > 0;
    case 'a number of at least 256':
      return typeof value === 'number' && value >= 256;
    case 'true or false':
      return typeof value === 'boolean';
    case 'a function':
      return typeof value === 'function';
    case 'the session of an instance (oriel.session)':
      return isObject && 'store' in value && 'close' in value;
    case 'an object':
      return isObject;
    case 'an object of strings':
      return isObject && Object.values(value).every((one) => typeof one === 'string');
    case 'an object, true or false':
      return isObject || typeof value === 'boolean';
    case 'an object, or false':
      return isObject || value === false;
  }
}

/** All options: the compiler rejects a missing one. `an object` without rules is checked further elsewhere. */
const OPTIONS: { readonly [K in keyof Required<OrielOptions>]: Rule } = {
  cwd: 'a string',
  roots: 'a list of strings',
  allow: 'a list of strings',
  deny: 'a list of strings',
  dialect: 'a string',
  limits: 'an object',
  model: 'a string',
  limitsPerModel: 'an object',
  display: ['numbers', 'hashline', 'hashline@18', 'plain'],
  read: {
    defaultLimit: 'a number',
    lineNumbers: 'true or false',
    hashLines: 'true or false',
    summarize: 'true or false',
    // The notice of a map alone needs so many bytes.
    mapBytes: 'a number of at least 256',
    imageMetadataOnly: 'true or false',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['read']>>]: Rule },
  tokens: 'a function',
  timeoutMs: 'a number above 0, or Infinity for no limit',
  run: {
    timeout: 'a number above 0, or Infinity for no limit',
    maxTimeout: 'a number above 0, or Infinity for no limit',
    environment: 'a list of strings',
    background: ['end', 'keep'],
    fold: 'true or false',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['run']>>]: Rule },
  agentOutputs: 'a string',
  userFiles: 'true or false',
  schemes: 'an object',
  web: 'an object, true or false',
  s3: 'an object, true or false',
  mcpServers: 'an object',
  workspaces: 'an object',
  spills: {
    state: 'a string',
    workingDirectory: 'a string',
    cap: 'a number',
    total: 'a number',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['spills']>>]: Rule },
  cache: 'an object, or false',
  state: {
    url: 'a string',
    key: 'a string',
    space: 'a string',
    timeoutMs: 'a number',
    workers: 'true or false',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['state']>>]: Rule },
  telemetry: 'an object, or false',
  session: 'the session of an instance (oriel.session)',
  now: 'a function',
  onError: 'a function',
};

const CACHE = { directory: 'a string', bytes: 'a number' } satisfies {
  readonly [K in keyof Required<Exclude<NonNullable<OrielOptions['cache']>, false>>]: Rule;
};

const TELEMETRY = { file: 'a string', task: 'a string', totals: 'true or false' } satisfies {
  readonly [K in keyof Required<TelemetrySettings>]: Rule;
};

const WEB = {
  allow: 'a list of strings',
  endpoints: {
    wikipedia: 'a string',
    stackexchange: 'a string',
    arxiv: 'a string',
    mdn: 'a string',
    rfc: 'a string',
  } satisfies { readonly [K in keyof Required<SiteEndpoints>]: Rule },
} satisfies { readonly [K in keyof WebSettings]: Rule | Rules };

const S3 = {
  allow: 'a list of strings',
  endpoint: 'a string',
  region: 'a string',
  buckets: 'a list of strings',
} satisfies { readonly [K in keyof Required<S3Settings>]: Rule };

/** A scheme in lower case by the URL Standard, except `file`, `http` and `https`, which cannot be replaced. */
const SCHEME = /^(?!file$|https?$)[a-z][a-z0-9+.-]*$/;

/** Throws `BAD_INPUT` with the name of the first invalid option. */
export function checkOptions(options: OrielOptions): void {
  check(options, OPTIONS, '');
  if (options.cache) check(options.cache, CACHE, 'cache.');
  if (options.telemetry) check(options.telemetry, TELEMETRY, 'telemetry.');
  if (typeof options.s3 === 'object') check(options.s3, S3, 's3.');
  if (typeof options.web === 'object') check(options.web, WEB, 'web.');
  for (const [name, server] of Object.entries(options.mcpServers ?? {})) checkServer(name, server);
  for (const option of ['limitsPerModel', 'workspaces'] as const)
    for (const [name, value] of Object.entries(options[option] ?? {}))
      if (!isOf('an object', value)) throw wrongOption(`${option}.${quote(name)}`, 'an object', value);
  for (const [name, read] of Object.entries(options.schemes ?? {})) {
    if (!SCHEME.test(name)) {
      throw new OrielError('BAD_INPUT', `${quote(name)} cannot be a scheme. Use a name such as ticket.`);
    }
    if (read !== false && typeof read !== 'function') {
      throw new OrielError('BAD_INPUT', `The option schemes.${name} is a function, or false.`);
    }
  }
}

const STDIO: Rules = {
  command: 'a string',
  args: 'a list of strings',
  cwd: 'a string',
  env: 'an object of strings',
};
const HTTP: Rules = {
  url: 'a string',
  headers: 'an object of strings',
  addresses: { allow: 'a list of strings', howToAllow: 'a string' },
};
const REFUSED: Rules = { refused: 'a string' };

function checkServer(name: string, server: unknown): void {
  const front = `mcpServers.${quote(name)}`;
  const given = server as Readonly<Record<string, unknown>>;
  const isObject = isOf('an object', server);
  if (isObject && given['refused'] !== undefined) return check(given, REFUSED, `${front}.`);
  if (!isObject || (given['command'] === undefined) === (given['url'] === undefined)) {
    throw new OrielError('BAD_INPUT', `The option ${front} has a command, or a url.`);
  }
  check(given, given['command'] === undefined ? HTTP : STDIO, `${front}.`);
  const url = given['url'];
  if (typeof url === 'string' && !/^https?:\/\//i.test(URL.canParse(url) ? new URL(url).href : '')) {
    throw new OrielError('BAD_INPUT', `The option ${front}.url is not an http or https URL: ${quote(url)}.`);
  }
  if (typeof url === 'string' && (new URL(url).username !== '' || new URL(url).password !== '')) {
    throw new OrielError(
      'BAD_INPUT',
      `The option ${front}.url holds a user name or a password. Use ${front}.headers.`,
    );
  }
}

function check(given: object, rules: Rules, front: string): void {
  for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const near = nearNames(name, Object.keys(rules));
      const hint = near.length > 0 ? didYouMean(near) : ` Use one of ${Object.keys(rules).join(', ')}.`;
      throw new OrielError('BAD_INPUT', `There is no option ${front}${quote(name)}.${hint}`);
    }
    const isList = Array.isArray(rule);
    const type = typeof rule === 'string' ? rule : 'an object';
    if (isList ? !rule.includes(value) : !isOf(type, value))
      throw wrongOption(front + name, isList ? `one of ${rule.join(', ')}` : type, value);
    // At the top these are directories.
    if (name === 'allow' && front !== '') checkAddresses(value as readonly string[]);
    if (typeof rule === 'object' && !isList) check(value as object, rule as Rules, `${front}${name}.`);
  }
}

function checkAddresses(allow: readonly string[]): void {
  const wrong = allow.find((text) => !isAddress(text.replace(/^([^[/]*:[^/]*:[^/]*)(?=\/|$)/, '[$1]')));
  if (wrong === undefined) return;
  throw new OrielError(
    'BAD_INPUT',
    `${quote(wrong)} is not HOST or CIDR, with or without :PORT. Use localhost:8080 or 10.0.0.0/8.`,
  );
}

/** As `parseAllowed`, whose file is loaded with the first request. IPv6 is in brackets. */
function isAddress(text: string): boolean {
  const [, six, name = '', bits, port = '1'] =
    /^(?:\[([^\]]+)\]|([\p{L}\p{N}._-]+))(?:\/(\d+))?(?::(\d+))?$/u.exec(text) ?? [];
  const host = six === undefined ? name : `[${six}]`;
  const isRange = /^(?:[\d.]+|\[.*)$/.test(host) && URL.canParse(`http://${host}`);
  const isPlace = six === undefined && bits === undefined ? name !== '' : isRange;
  return isPlace && Number(bits ?? 0) <= (six === undefined ? 32 : 128) && +port > 0 && +port <= 65_535;
}

function wrongOption(name: string, what: string, value: unknown): OrielError {
  const shown = typeof value === 'string' ? quote(value) : nounFor(value, what);
  const isNumber = typeof value === 'number' && what.startsWith('a number');
  return new OrielError('BAD_INPUT', `The option ${name} is ${what}${isNumber ? '' : `, not ${shown}`}.`);
}

function nounFor(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return wanted.startsWith('a list') ? 'a list of other things' : 'a list';
  if (value === null || value === undefined) return String(value);
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

// Phrases that name the option with which the operator can allow what is refused. They depend on how oriel was started: as a
// library, or by its command line.

const LIBRARY: OperatorWords = {
  web: 'with web: true',
  objects: 'with s3: true',
  mcpServers: 'with the option mcpServers',
  workspaces: 'with the option workspaces',
  agentOutputs: 'with the option agentOutputs',
  userFiles: 'with userFiles: true',
  deny: 'the option deny',
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
  deny: '--deny',
  allowWeb: 'with --allow-net HOST',
  allowObjects: 'with --allow-net HOST',
};

const START = Symbol('how oriel was started');

/** Marks options that come from the command line. A spread copies the mark. */
export interface StartMark {
  readonly [START]?: OperatorWords | undefined;
}

export const startedByCommand: StartMark = { [START]: COMMAND };

export function wordsFor(options: OrielOptions & StartMark): OperatorWords {
  return options[START] ?? LIBRARY;
}
