/** Puts the parts together: options become an engine and the tools of one dialect over it. */

import { createAccess } from './access/local.ts';
import { fromWorkingFolder } from './access/paths.ts';
import { callTool } from './call-tool.ts';
import type { DeclaredTool, Dialect } from './dialects/dialect.ts';
import { type DialectName, dialectOf } from './dialects/table.ts';
import type { CallOptions, Engine } from './engine/gate.ts';
import { ofHost, type OnError } from './engine/unexpected.ts';
import { OrielError } from './errors.ts';
import { type LimitOptions, limitsWith } from './limits.ts';
import { createSession } from './session/session.ts';
import type { SpillOptions } from './session/spills.ts';
import { quote } from './text/visible.ts';
import type { Answer } from './types/answer.ts';
import type { Limits, TokenCounter } from './types/limits.ts';
import type { Session } from './types/session.ts';
import type { RunSettings, Settings } from './types/settings.ts';

export interface OrielOptions {
  /** Relative paths are resolved against it; `process.cwd()` when absent. */
  readonly cwd?: string;
  /** Directories outside which nothing is read; everything may be read when absent or empty. */
  readonly roots?: readonly string[];
  /** Directories in which files of the kernel may be read all the same: `/proc`. */
  readonly allow?: readonly string[];
  readonly dialect?: DialectName;
  /** Lower or raise the dialect's own limits. */
  readonly limits?: LimitOptions;
  /** The model that reads the answers, by the name that `limitsPerModel` gives it. */
  readonly model?: string;
  /** What differs from `limits` for each model: a context window of 8,000 tokens takes smaller answers. */
  readonly limitsPerModel?: Readonly<Record<string, LimitOptions>>;
  /** How lines are shown; `hashline` is for hosts with an edit tool that takes its anchors. `numbers` when absent. */
  readonly display?: Settings['display'];
  readonly read?: ReadOptions;
  /** The model's own token counter, for `limits.tokens`. */
  readonly tokens?: Settings['tokens'];
  /** Milliseconds one call may take; 30,000 when absent, Infinity for no limit. */
  readonly timeoutMs?: number;
  /** How commands run: their time limit, their environment, what becomes of what they leave running. */
  readonly run?: Partial<RunSettings>;
  /** Workspaces elsewhere, by the names that tools call them. */
  readonly workspaces?: Settings['workspaces'];
  /** Where full outputs are kept, and how much of them. */
  readonly spills?: SpillOptions;
  /** Shares snapshots, spills and caches with another instance. */
  readonly session?: Session;
  /** Milliseconds since the epoch, for the ages in listings. */
  readonly now?: () => number;
  /** Receives every error that an answer does not explain: a bug here, or an exception in one of these functions. */
  readonly onError?: OnError;
}

export interface ReadOptions {
  /** Lines of an open-ended read, at most the line limit, which it is when absent. */
  readonly defaultLimit?: number;
  /** Whether lines carry their numbers (true when absent): without, text is shown as with `display: 'plain'`. */
  readonly lineNumbers?: boolean;
  /** Whether the `hashline` display gives its anchors (true when absent): without, lines have numbers only. */
  readonly hashLines?: boolean;
  /** Whether long code is answered with its structure (true when absent). */
  readonly summarize?: boolean;
  /** Whether images are answered with their facts only (false when absent). */
  readonly imageMetadataOnly?: boolean;
}

export type RunOptions = CallOptions;

export interface Assembly {
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly session: Session;
  readonly engine: Engine;
  /** The tool of that name. Throws OrielError (`BAD_INPUT`). */
  tool(name: string): DeclaredTool;
  /**
   * Answers an input that `accept` takes, or that was made to fit the tool's schema. Never throws: a failure is an
   * answer with `isError`.
   */
  run(
    tool: DeclaredTool,
    input: unknown,
    options?: RunOptions,
    accept?: (input: unknown) => unknown,
  ): Promise<Answer>;
}

/** Throws OrielError for options that cannot work: a root that is not a directory, a limit that is not a number. */
export function assemble(options: OrielOptions = {}): Assembly {
  const dialect = dialectOf(options.dialect ?? 'oriel');
  const limits = limitsWith(limitsWith(dialect.limits, options.limits), limitsOfModel(options));
  const session = options.session ?? createSession(options.spills && { spills: options.spills });
  const engine: Engine = {
    access: createAccess({
      cwd: fromWorkingFolder(options.cwd),
      roots: options.roots ?? [],
      allow: options.allow ?? [],
      ours: (path) => session.spills.has(path),
    }),
    session,
    settings: settingsOf(options),
    timeoutMs: timeout('timeoutMs', options.timeoutMs ?? 30_000),
    now: options.now ? ofHost('now', options.now) : Date.now,
    ...(options.onError && { onError: options.onError }),
  };
  return {
    dialect,
    limits,
    session,
    engine,
    tool(name) {
      const found = dialect.tools.find((tool) => tool.name === name);
      if (found) return found;
      const names = dialect.tools.map((tool) => tool.name).join(', ');
      throw new OrielError(
        'BAD_INPUT',
        `The dialect ${dialect.name} has no tool ${quote(name)}. Use one of ${names}.`,
      );
    },
    run: (tool, input, options, accept) =>
      callTool(engine, tool, input, { ...options, limits, ...(accept && { accept }) }),
  };
}

function limitsOfModel({ model, limitsPerModel = {} }: OrielOptions): LimitOptions | undefined {
  return model !== undefined && Object.hasOwn(limitsPerModel, model) ? limitsPerModel[model] : undefined;
}

function settingsOf(options: OrielOptions): Settings {
  const { read = {} } = options;
  return {
    defaultLimit: read.defaultLimit ?? defaultSettings.defaultLimit,
    display: displayOf(options),
    summarize: read.summarize ?? defaultSettings.summarize,
    imageMetadataOnly: read.imageMetadataOnly ?? defaultSettings.imageMetadataOnly,
    ...(options.tokens && { tokens: counterOfHost(options.tokens) }),
    run: runSettings(options.run),
    workspaces: options.workspaces ?? defaultSettings.workspaces,
  };
}

function runSettings(options: Partial<RunSettings> = {}): RunSettings {
  const settings = { ...defaultSettings.run, ...options };
  timeout('run.timeout', settings.timeout);
  return settings;
}

/** A budget with a count that is not a number would never be spent. */
function counterOfHost(tokens: TokenCounter): TokenCounter {
  return ofHost('tokens', (text) => {
    const count = tokens(text);
    if (count >= 0) return count;
    throw new TypeError(`tokens returned ${String(count)}, not a number of tokens`);
  });
}

/** Infinity is no limit. Throws `BAD_INPUT`. */
function timeout(option: string, value: number): number {
  if (value > 0) return value;
  throw new OrielError('BAD_INPUT', `The option ${option} is a number above 0, or Infinity for no limit.`);
}

/** Anchors win over numbers; without either, lines are shown as they are. */
function displayOf({ display = defaultSettings.display, read = {} }: OrielOptions): Settings['display'] {
  if (display === 'hashline' && read.hashLines !== false) return 'hashline';
  return display === 'plain' || read.lineNumbers === false ? 'plain' : 'numbers';
}

export const defaultSettings: Settings = {
  defaultLimit: Number.POSITIVE_INFINITY,
  display: 'numbers',
  summarize: true,
  imageMetadataOnly: false,
  run: { timeout: 120, background: 'end' },
  workspaces: {},
};
