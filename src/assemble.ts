/** Creates the engine and the tools of a dialect from the options. */

import { resolve } from 'node:path';
import { callTool } from './call/call-tool.ts';
import type { DeclaredTool, Dialect } from './call/dialect.ts';
import type { CallOptions, Engine } from './call/open-call.ts';
import { explained, hostError, ofHost, report } from './call/unexpected.ts';
import { dialectOf } from './dialects/dialect-table.ts';
import { OrielError } from './errors.ts';
import type { DenyOptions } from './files/deny-policy.ts';
import { createAccess } from './files/local.ts';
import { fromWorkingDirectory } from './files/paths.ts';
import { outermost, realDirectory, rootsIn } from './files/roots.ts';
import { userFileDirectories } from './files/user-settings.ts';
import { checkOptions, type OrielOptions, type TelemetrySettings, wordsFor } from './options.ts';
import { nameCaller } from './queues/caller.ts';
import { isHashline } from './render/display.ts';
import { createSession, type SessionOptions } from './session/session.ts';
import { openState } from './session/shared.ts';
import type { TelemetryOptions } from './telemetry/telemetry.ts';
import { KIB, limitsWith } from './text/limits.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote } from './text/visible.ts';
import type { FileAccess } from './types/access.ts';
import type { Answer } from './types/answer.ts';
import type { Limits, TokenCounter } from './types/excerpt.ts';
import type { Session } from './types/session.ts';
import type { HostScheme, Settings } from './types/settings.ts';

export interface RunOptions extends CallOptions {
  /** Whether `details.task` has the totals of the task so far. */
  readonly totals?: boolean | undefined;
}

/** What may differ between the calls of one instance: how large answers are, and what they show of images. */
export interface AnswerSize {
  readonly limits: Limits;
  readonly settings: Settings;
}

export interface OrielAssembly {
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly session: Session;
  readonly engine: Engine;
  /** The tool of that name. Throws OrielError (`BAD_INPUT`). */
  tool(name: string): DeclaredTool;
  /** The limits, the token counter and `read.imageMetadataOnly` of other options. Everything else stays as it was assembled. */
  sizeOf(options: OrielOptions): AnswerSize;
  /**
   * Runs a tool. `accept` validates the input; without it the input must already match the schema of the tool. Never throws:
   * a failure is an answer with `isError`.
   */
  run(
    tool: DeclaredTool,
    input: unknown,
    options?: RunOptions,
    accept?: (input: unknown) => unknown,
    size?: AnswerSize,
  ): Promise<Answer>;
}

/** Throws OrielError for options that cannot work: a root that is not a directory, a limit that is not a number. */
export function assemble(options: OrielOptions = {}): OrielAssembly {
  checkOptions(options);
  const dialect = dialectOf(options.dialect ?? 'oriel');
  const limits = limitsOf(dialect, options);
  const session =
    options.session ??
    createSession({
      ...sessionOptions(options),
      ...(options.state && stateOf(options.state)),
    });
  const wantsTotals = options.telemetry !== false && options.telemetry?.totals === true;
  const deny = denyOf(options);
  // A file that became private leaves the cache on disk.
  const changed = (key: string): Promise<void> | undefined =>
    session.files?.keepWhile(`these files are private in ${JSON.stringify(deny?.projects)}`, key);
  const engine: Engine = {
    access: createAccess({
      cwd: fromWorkingDirectory(options.cwd),
      roots: options.roots ?? [],
      allow: options.allow ?? [],
      ours: (path) => session.spills.has(path),
      deny: deny && { ...deny, changed },
    }),
    session,
    settings: settingsOf(options),
    timeoutMs: options.timeoutMs ?? 30_000,
    now: options.now ? ofHost('now', options.now) : Date.now,
    onError: options.onError,
  };
  // Calls that name no caller belong to the instance. The name is the same for all instances that share a space of a store.
  nameCaller(engine, { name: 'instance', isGuess: false });
  return {
    dialect,
    limits,
    session,
    engine,
    tool(name) {
      const found = dialect.tools.find((tool) => tool.name === name);
      if (found) return found;
      const names = dialect.tools.map((tool) => tool.name);
      const near = didYouMean(nearNames(name, names));
      throw new OrielError(
        'BAD_INPUT',
        `The dialect ${dialect.name} has no tool ${quote(name)}. Use one of ${names.join(', ')}.${near}`,
      );
    },
    sizeOf(changed) {
      const { tokens, imageMetadataOnly } = sizeSettings(changed);
      return {
        limits: limitsOf(dialect, changed),
        settings: { ...engine.settings, tokens, imageMetadataOnly },
      };
    },
    async run(tool, input, run = {}, accept, size = { limits, settings: engine.settings }) {
      const call = { ...run, ...size, dialect: dialect.name, ...(accept && { accept }) };
      const answer = await callTool(engine, tool, input, call);
      return (run.totals ?? wantsTotals) ? await withTotals(answer, session, run) : answer;
    },
  };
}

/** The answer with the totals of its task, which include this call. */
async function withTotals(
  answer: Answer,
  { telemetry }: Session,
  { task, caller }: RunOptions,
): Promise<Answer> {
  const totals = await telemetry?.totals({ task, caller });
  return totals ? { ...answer, details: { ...answer.details, task: totals } } : answer;
}

/** The options of a session. Its errors outside of calls go to `onError` as well. */
export function sessionOptions({
  spills,
  cache = {},
  telemetry = {},
  onError,
}: Pick<OrielOptions, 'spills' | 'cache' | 'telemetry' | 'onError'>): SessionOptions {
  return {
    telemetry: telemetry && telemetryOptions(telemetry),
    ...(cache && { disk: cache }),
    ...(spills && { spills }),
    ...(onError && { onError: (error: unknown) => report(onError, explained(error)) }),
  };
}

/** Opens the shared store of the options; it is closed with the session. */
function stateOf(given: NonNullable<OrielOptions['state']>): Pick<SessionOptions, 'state'> {
  const state = openState(given);
  if (!state) return {};
  const space = hostSpace(given.space);
  return { state: { space: state.space(space), work: state.work(space), close: () => state.close() } };
}

/** The space in a shared store for calls without a client. The prefix keeps it apart from other kinds of spaces, whatever the name. */
export function hostSpace(name = 'common'): string {
  return `host ${name}`;
}

/** A relative path of `file` is resolved against the working directory of the process. */
function telemetryOptions({ file, task }: TelemetrySettings): TelemetryOptions {
  return {
    file: file === undefined ? undefined : { path: resolve(file) },
    task,
  };
}

function limitsOf(dialect: Dialect, { limits, model, limitsPerModel = {} }: OrielOptions): Limits {
  const own = limits ? limitsWith(dialect.limits, limits) : dialect.limits;
  // Those of every model are checked: another one may be chosen later.
  const ofModels = new Map(
    Object.entries(limitsPerModel).map(([name, ofModel]) => [name, limitsWith(own, ofModel)]),
  );
  return ofModels.get(model ?? '') ?? own;
}

function settingsOf(options: OrielOptions): Settings {
  const { read = {} } = options;
  const run = { ...defaultSettings.run, ...options.run };
  const operator = wordsFor(options);
  // Within roots nothing leaves this machine unless it was asked for.
  const isUnbounded = (options.roots ?? []).length === 0;
  return {
    defaultLimit: read.defaultLimit ?? defaultSettings.defaultLimit,
    display: displayOf(options),
    summarize: read.summarize ?? defaultSettings.summarize,
    mapBytes: read.mapBytes ?? defaultSettings.mapBytes,
    ...sizeSettings(options),
    run: {
      ...run,
      maxTimeout: options.run?.maxTimeout ?? Math.max(defaultSettings.run.maxTimeout, run.timeout),
    },
    agentOutputs:
      options.agentOutputs === undefined ? undefined : accessTo(options.agentOutputs, denyOf(options)),
    ...(options.userFiles === true && userFiles(denyOf(options))),
    schemes: options.schemes ? schemesOfHost(options.schemes) : defaultSettings.schemes,
    web: webSettings(options.web ?? isUnbounded, operator.allowWeb),
    s3: s3Settings(options.s3 ?? isUnbounded, operator.allowObjects),
    mcpServers: options.mcpServers,
    workspaces: options.workspaces ?? defaultSettings.workspaces,
    operator,
  };
}

function sizeSettings({ tokens, read = {} }: OrielOptions): Pick<Settings, 'tokens' | 'imageMetadataOnly'> {
  return {
    imageMetadataOnly: read.imageMetadataOnly ?? defaultSettings.imageMetadataOnly,
    tokens: tokens ? counterOfHost(tokens) : undefined,
  };
}

/** Undefined if no file is private. The project is in the roots, those of the server if a client has narrowed them, or the working directory. */
function denyOf(options: OrielOptions): DenyOptions | undefined {
  const { deny, roots = [], cwd } = options;
  if (deny === undefined) return undefined;
  const directories =
    roots.length > 0 ? [...outermost(roots), ...rootsIn(roots).map(({ real }) => real)] : [];
  const here = fromWorkingDirectory(cwd);
  return {
    patterns: deny.flatMap((text) => text.split('\n')),
    projects: roots.length > 0 ? [...new Set(directories)] : [realDirectory(here) ?? here],
    name: wordsFor(options).deny,
  };
}

/** Checks the syntax of hosts, ranges and endpoints. Their numbers are checked when the first page is opened. Throws `BAD_INPUT`. */
function webSettings(options: NonNullable<OrielOptions['web']>, howToAllow: string): Settings['web'] {
  if (options === false) return false;
  const { allow = [], endpoints = {} } = options === true ? {} : options;
  const [site, base] =
    Object.entries(endpoints).find(
      ([, url]) => url !== undefined && !/^https?:\/\/[^/?#@]+[^?#]*$/.test(url),
    ) ?? [];
  if (site !== undefined) {
    throw new OrielError(
      'BAD_INPUT',
      `The option web.endpoints.${site} is a URL such as http://localhost:8080, not ${quote(String(base))}.`,
    );
  }
  return { allow, endpoints, howToAllow };
}

/** The environment and the AWS files are read when the first object is opened. */
function s3Settings(options: NonNullable<OrielOptions['s3']>, howToAllow: string): Settings['s3'] {
  if (options === false) return false;
  const { allow = [], ...others } = options === true ? {} : options;
  return { allow, ...others, howToAllow };
}

/** Access to the user's own files. Empty if none of the directories exists, because an access without roots may open everything. */
function userFiles(deny: DenyOptions | undefined): Pick<Settings, 'userFiles'> {
  const roots = userFileDirectories().flatMap((directory) => realDirectory(directory) ?? []);
  const [cwd] = roots;
  return cwd === undefined ? {} : { userFiles: createAccess({ cwd, roots, allow: [], deny }) };
}

/** An access with one root. It keeps the identity of the directory, and does not enter one that replaces it later. Throws `NOT_FOUND`, `NOT_DIRECTORY`. */
function accessTo(path: string, deny: DenyOptions | undefined): FileAccess {
  const directory = fromWorkingDirectory(path);
  return createAccess({ cwd: directory, roots: [directory], allow: [], deny });
}

/** The schemes of the host. Errors that they throw are wrapped in an error with the code `HOST`. */
function schemesOfHost(schemes: Settings['schemes']): Settings['schemes'] {
  return Object.fromEntries(
    Object.entries(schemes).map(([name, read]) => [
      name,
      read &&
        (async (...given: Parameters<HostScheme>) => {
          try {
            return await read(...given);
          } catch (error) {
            throw hostError('schemes', error);
          }
        }),
    ]),
  );
}

/** Checks the results of the counter: with NaN a budget would never be used up. */
function counterOfHost(tokens: TokenCounter): TokenCounter {
  return ofHost('tokens', (text) => {
    const count = tokens(text);
    if (count >= 0) return count;
    throw new TypeError(`tokens returned ${String(count)}, not a number of tokens`);
  });
}

/** A display with anchors ignores `lineNumbers`; if they are turned off, it is the same as `numbers`. */
function displayOf({ display = defaultSettings.display, read = {} }: OrielOptions): Settings['display'] {
  if (isHashline(display) && read.hashLines !== false) return display;
  return display === 'plain' || read.lineNumbers === false ? 'plain' : 'numbers';
}

export const defaultSettings: Settings = {
  defaultLimit: Number.POSITIVE_INFINITY,
  display: 'numbers',
  summarize: true,
  mapBytes: 8 * KIB,
  imageMetadataOnly: false,
  run: { timeout: 120, maxTimeout: 600, background: 'end', fold: true },
  schemes: {},
  web: { allow: [], endpoints: {} },
  s3: { allow: [] },
  workspaces: {},
  operator: wordsFor({}),
};
