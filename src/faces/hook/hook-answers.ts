/** What a hook answers in place of an agent's own tool; most of the time nothing. */

import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { assemble, type OrielAssembly } from '../../assemble.ts';
import { callTool } from '../../call/call-tool.ts';
import type { CallableTool } from '../../call/dialect.ts';
import { DEFAULT_DENY } from '../../files/deny-rules.ts';
import { cachePath, isPrivateDirectory, PRIVATE_FILE, privateDirectory } from '../../files/kept-files.ts';
import { displays, raw, showPart } from '../../render/display.ts';
import { cacheDirectory, sweepFiles } from '../../session/directories.ts';
import { createSession } from '../../session/session.ts';
import { LruMap } from '../../session/snapshots.ts';
import { foldedLines, foldedRuns, MAX_COMPARED_LINES, type StoredLine } from '../../text/fold.ts';
import { cutPolicy, KIB, MAX_WHOLE_BYTES } from '../../text/limits.ts';
import { terminalText } from '../../text/terminal.ts';
import { safeJson } from '../../text/visible.ts';
import type { LineDisplay } from '../../types/excerpt.ts';
import type { SpokenWords } from '../../types/request.ts';
import type { EngineResult, SummaryResult } from '../../types/result.ts';
import type { Session } from '../../types/session.ts';
import { variable } from '../install/host-table.ts';
import { isWantedWhole, lastWords, spoken } from './dialogue.ts';
import { isOtherFile, MAX_OWN_READ_BYTES, MIN_OUTPUT_CHARACTERS } from './meeting.ts';

/** The most bytes of a map, and the share of its text that it may have. */
const MAX_MAP_BYTES = 8 * KIB;
const MAX_MAP_SHARE = 1 / 3;

/** What the line below a map takes, beside the path of the file. */
const FOOTER_BYTES = 320;

/**
 * The most bytes of the lines that the call below a map reads: every agent's own tool shows them. Claude Code refuses over 25,000
 * tokens, Copilot CLI over 20 KB.
 */
const MAX_WINDOW_BYTES = 16 * KIB;

/** How many directories have an engine, and how many files are remembered to have been answered with a map. */
const MAX_ENGINES = 8;
const MAX_REMEMBERED = 10_000;

/** Milliseconds of an answer; the hook does not wait longer. */
const TIMEOUT_MS = 4_500;

/** A text that an agent's own tool opens in place of what it cannot read. */
const MAX_TEXT_BYTES = 4 << 20;

/** What tells that an answer was not cut: its size, beside line ends that were changed, and the last lines in its end. */
const MIN_WHOLE_SHARE = 0.9;
const END_LINES = 5;
const END_CHARACTERS = 4_000;

/** An output is folded if at least this share of it goes. */
const MIN_FOLDED_SHARE = 0.15;

/** The fields of an event of Claude Code; plugins of other agents send the same ones. */
interface HookEvent {
  readonly hook_event_name?: string;
  readonly session_id?: string | undefined;
  readonly cwd?: string | undefined;
  readonly transcript_path?: string;
  /** The last words, from agents that have no transcript. */
  readonly words?: { readonly user?: readonly string[]; readonly assistant?: readonly string[] };
  readonly tool_use_id?: string;
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly tool_response?: unknown;
  /** The directory for texts that its own tool opens; absent: that of oriel. */
  readonly texts?: string;
}

type HookOutput = Readonly<Record<string, unknown>>;

interface TextFile {
  readonly filePath: string;
  readonly content: string;
  readonly numLines: number;
  readonly startLine: number;
  readonly totalLines: number;
}

interface TextInput {
  readonly target: string;
  /** Absent: the whole text, not its map. */
  readonly about?: readonly SpokenWords[];
  readonly call?: (from: number, to: number) => string;
  /** Whether the agent's own tool can read all of it at once. */
  readonly fits?: boolean;
}

interface MappedRead {
  readonly size: number;
  readonly call: HookDialect['call'];
  /** The agent's own answer: all of the text, a part of it, or only that it is too large. */
  readonly own: 'whole' | 'cut' | 'none';
  readonly roots?: readonly string[];
}

/** What Copilot CLI says in place of a text. */
const TOO_LARGE = /^File too large to read at once/;

/** Source: "Settings" of the documentation of Claude Code. */
const MANAGED_SETTINGS = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
];

type Fields = Readonly<Record<string, unknown>>;

/** What an agent says and reads in another way than Claude Code does. */
interface HookDialect {
  /** How its tools name the lines of a file, beginning with `from` (1-based, inclusive). */
  readonly call: (path: string, from: number, to: number) => object;
  /** Its event as one of Claude Code; undefined if nothing can be answered. */
  readonly event?: (given: Fields) => HookEvent | undefined;
  /** What is printed. `keep` puts the text into a file that its own tool opens. */
  readonly printed?: (text: string, keep: () => string) => object;
}

const offset = (from: number, to: number): object => ({ offset: from, limit: to - from + 1 });

const CLAUDE: HookDialect = { call: (file_path, from, to) => ({ file_path, ...offset(from, to) }) };

/** By agent. */
const DIALECTS: Readonly<Record<string, HookDialect>> = {
  opencode: { call: (filePath, from, to) => ({ filePath, ...offset(from, to) }) },
  kilo: { call: (filePath, from, to) => ({ filePath, ...offset(from, to) }) },
  pi: { call: (path, from, to) => ({ path, ...offset(from, to) }) },
  // Source: "Hooks reference" of its documentation.
  copilot: {
    call: (path, from, to) => ({ path, view_range: [from, to] }),
    event({ sessionId, cwd, toolName, toolArgs, toolResult }) {
      const args = (typeof toolArgs === 'string' ? JSON.parse(toolArgs) : toolArgs) as Fields;
      const { path: file_path, view_range: offset, command } = args;
      const input = { file_path, offset, command };
      const { textResultForLlm: text } = Object(toolResult) as Fields;
      const tool = { view: 'Read', bash: 'Bash' }[String(toolName)];
      return toolEvent({ session_id: sessionId, cwd, words: {} }, tool, input, text);
    },
    printed: (textResultForLlm) => ({ modifiedResult: { resultType: 'success', textResultForLlm } }),
  },
  // Source: "Hooks reference" of its documentation. A text in place of the answer would be marked as an error: it is read from a
  // file in the only directory outside the project that its tools open.
  gemini: {
    call: (file_path, from, to) => ({ file_path, start_line: from, end_line: to }),
    event({ tool_name, tool_input, tool_response, original_request_name: replaced, ...event }) {
      const { transcript_path: transcript } = event;
      if (replaced !== undefined || typeof transcript !== 'string' || !isAbsolute(transcript))
        return undefined;
      const texts = join(dirname(dirname(transcript)), 'oriel');
      const { start_line, end_line: limit, ...input } = tool_input as Fields;
      const { llmContent: text } = Object(tool_response) as Fields;
      const tool = { read_file: 'Read', run_shell_command: 'Bash' }[String(tool_name)];
      return toolEvent({ ...event, texts }, tool, { ...input, offset: start_line, limit }, text);
    },
    printed: (_text, keep) => ({
      hookSpecificOutput: {
        hookEventName: 'AfterTool',
        tailToolCallRequest: { name: 'read_file', args: { file_path: keep() } },
      },
    }),
  },
};

/** `base`: the fields that are named as those of Claude Code. */
function toolEvent(
  base: object,
  tool: string | undefined,
  input: Fields,
  text: unknown,
): HookEvent | undefined {
  if (tool === undefined || typeof text !== 'string') return undefined;
  const type = TOO_LARGE.test(text) ? 'too_large' : 'text';
  return {
    ...base,
    hook_event_name: 'PostToolUse',
    tool_name: tool,
    tool_input: input,
    tool_response:
      tool === 'Read' ? { type, file: { content: text, startLine: 1 } } : { stdout: text, stderr: '' },
  };
}

export class HookAnswers {
  readonly #session: Session = createSession({ telemetry: false });
  readonly #kept = new KeptTexts();
  readonly #engines = new LruMap<OrielAssembly>(MAX_ENGINES);
  /** By session and path: the version of the file that was answered with a map, and whether all of it followed. */
  readonly #mapped = new LruMap<string>(MAX_REMEMBERED);
  /** By the same: the call that was answered so. Another hook, of the project or a plugin, may ask about it, too. */
  readonly #calls = new LruMap<string | undefined>(MAX_REMEMBERED);

  constructor() {
    for (const [key, version] of this.#kept.notes()) this.#mapped.set(key, version);
  }

  /** What the hook prints; undefined if the agent's own answer stands. May throw anything. */
  async answer(host: string, text: string): Promise<string | undefined> {
    const { call, event: translated, printed } = DIALECTS[host] ?? CLAUDE;
    const given = JSON.parse(text) as HookEvent;
    const event = translated ? translated(given as Fields) : given;
    if (event === undefined) return undefined;
    const { hook_event_name: name, tool_name: tool } = event;
    let output: HookOutput | undefined;
    if (name === 'PreToolUse' && tool === 'Read') output = await this.#before(event);
    else if (name === 'PostToolUse' && (tool === 'Grep' || tool === 'Glob')) output = restOf(event);
    else if (name === 'PostToolUse') {
      const updatedToolOutput =
        tool === 'Read' ? await this.#read(event, call) : tool === 'Bash' ? this.#bash(event) : undefined;
      output = updatedToolOutput && { updatedToolOutput };
    }
    if (!printed) return output && JSON.stringify({ hookSpecificOutput: { hookEventName: name, ...output } });
    const { file, stdout } = (output?.updatedToolOutput ?? {}) as { file?: TextFile; stdout?: string };
    const answer = file?.content ?? stdout;
    return answer === undefined
      ? undefined
      : JSON.stringify(printed(answer, () => this.#kept.write(answer, event.texts)));
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #read(event: HookEvent, call: HookDialect['call']): Promise<object | undefined> {
    const { tool_input: input = {}, tool_response: response, texts } = event;
    const { file_path: typed } = input;
    if (typeof typed !== 'string' || !isWhole(input)) return undefined;
    const { type, file } = Object(response) as { type?: unknown; file?: Partial<TextFile> };
    if (type === 'notebook') return this.#notebook(event, typed, response);
    const cwd = directoryOf(event);
    const path = resolve(cwd, typed);
    const before = await versionOf(path);
    if (before === undefined || this.#kept.has(path, texts)) return undefined;
    const key = digest(event.session_id ?? '', path);
    const version = digest(before);
    const wasMapped = this.#mapped.get(key) === version;
    const whole = digest(version, 'whole');
    const know = (state: string): void => {
      this.#mapped.set(key, state);
      this.#kept.note(key, state);
    };
    let content: string | undefined;
    if (type === 'file_unchanged') {
      // The agent says that its answer is above, where there is only a map.
      if (wasMapped) content = await this.#text({ target: path }, cwd, raw);
    } else if (type === 'text' && typeof file?.content === 'string' && file.startLine === 1) {
      const { tool_use_id: id } = event;
      if (wasMapped && (id === undefined || this.#calls.get(key) !== id)) know(whole);
      if (wasMapped || this.#mapped.get(key) === whole || file.content.length <= MAX_WHOLE_BYTES)
        return undefined;
      const size = Buffer.byteLength(file.content);
      const own = isAllOf(path, file.content) ? 'whole' : 'cut';
      content = await this.#map(event, path, { size, call, own });
    } else if (type === 'too_large' && !wasMapped) {
      const { size } = await lstat(path);
      content = await this.#map(event, path, { size, call, own: 'none' });
    }
    // Of a file that changed meanwhile nobody knows which text the agent has.
    if (content === undefined || (await versionOf(path)) !== before) return undefined;
    know(wasMapped ? whole : version);
    this.#calls.set(key, event.tool_use_id);
    const numLines = content.split('\n').length;
    const totalLines = file?.totalLines ?? numLines;
    return { type: 'text', file: { filePath: typed, content, numLines, startLine: 1, totalLines } };
  }

  /** `size`: the bytes of the agent's own answer, or of the file if it has none. */
  async #map(
    event: HookEvent,
    path: string,
    { size, call: callOf, own, roots = [] }: MappedRead,
  ): Promise<string | undefined> {
    const { transcript_path: transcript, words } = event;
    const about = words
      ? spoken({ user: words.user ?? [], assistant: words.assistant ?? [] })
      : await lastWords(transcript);
    if (own !== 'none' && isWantedWhole(about, path)) return undefined;
    const room = Math.min(MAX_MAP_BYTES, Math.floor(size * MAX_MAP_SHARE));
    const mapBytes = room - FOOTER_BYTES - Buffer.byteLength(path);
    const call = (from: number, to: number): string =>
      safeJson(callOf(path, from, lastInWindow(path, from, to)));
    const input = { target: path, about, call, fits: own === 'whole' };
    return this.#text(input, directoryOf(event), displays.numbers, { mapBytes, roots });
  }

  /** Opens a text in place of a file that the agent's own tool cannot read, or not whole. */
  async #before(event: HookEvent): Promise<HookOutput | undefined> {
    const { tool_input: input = {} } = event;
    const { file_path: typed } = input;
    if (typeof typed !== 'string') return undefined;
    const { cwd = '' } = event;
    const path = resolve(directoryOf(event), typed);
    const allowed = { permissionDecision: 'allow', permissionDecisionReason: 'kept by oriel' };
    if (this.#kept.has(path)) return allowed;
    if (!isWhole(input) || !isAbsolute(cwd) || hasReadRules(cwd)) return undefined;
    // What is outside, also by a link, needs the permission of the person.
    const roots = [cwd];
    const content = isOtherFile(path)
      ? await this.#text({ target: path }, cwd, displays.plain, { roots })
      : await this.#mapOfLarge(event, path, roots);
    if (content === undefined) return undefined;
    const kept = this.#kept.write(content);
    return { ...allowed, updatedInput: { ...input, file_path: kept } };
  }

  async #mapOfLarge(event: HookEvent, path: string, roots: string[]): Promise<string | undefined> {
    const { size } = await lstat(path);
    return size > MAX_OWN_READ_BYTES
      ? this.#map(event, path, { size, ...CLAUDE, own: 'none', roots })
      : undefined;
  }

  /** The agent leaves out long outputs of a notebook, without a call for them. */
  async #notebook(event: HookEvent, path: string, response: unknown): Promise<object | undefined> {
    const json = JSON.stringify(response);
    const omitted = /"Outputs are too large to include[^"\\]*(?:\\.[^"\\]*)*"/g;
    if (!omitted.test(json)) return undefined;
    const text = await this.#text({ target: path }, directoryOf(event), displays.plain);
    if (text === undefined) return undefined;
    const call = safeJson({ file_path: this.#kept.write(text) });
    return JSON.parse(json.replace(omitted, () => JSON.stringify(`[All outputs: read ${call}]`))) as object;
  }

  #bash({ tool_input: input = {}, tool_response: response, texts }: HookEvent): object | undefined {
    const { stdout, stderr, isImage, persistedOutputPath } = Object(response) as Record<string, unknown>;
    if (typeof stdout !== 'string' || isImage === true || persistedOutputPath !== undefined) return undefined;
    const errors = typeof stderr === 'string' ? stderr : '';
    const size = stdout.length + errors.length;
    if (size < MIN_OUTPUT_CHARACTERS) return undefined;
    const command = typeof input['command'] === 'string' ? input['command'] : '';
    const [out, err] = [withoutNoise(stdout, command), withoutNoise(errors, command)];
    const left = out.left + err.left;
    if (out.text.length + err.text.length > size * (1 - MIN_FOLDED_SHARE)) return undefined;
    const whole = stdout + (stdout === '' || stdout.endsWith('\n') ? '' : '\n') + errors;
    const path = this.#kept.write(whole, texts);
    const what = left > 0 ? `${left} lines are folded` : 'What was overwritten is left out';
    const notice = `[${what}. The whole output is in ${path}]`;
    const isLast = err.text.trim() !== '';
    const ended = (text: string): string => `${text.replace(/\n*$/, '')}\n${notice}`;
    return {
      ...(response as object),
      stdout: isLast ? out.text : ended(out.text),
      stderr: isLast ? ended(err.text) : err.text,
    };
  }

  /** A text or its map; undefined for private files, and for everything that cannot be read. */
  async #text(
    input: TextInput,
    cwd: string,
    display: LineDisplay,
    { mapBytes, roots = [] }: { readonly mapBytes?: number; readonly roots?: readonly string[] } = {},
  ): Promise<string | undefined> {
    const { engine, limits } = this.#engineOf(cwd, roots);
    const settings = { ...engine.settings, summarize: false, mapBytes: mapBytes ?? engine.settings.mapBytes };
    const most = { bytes: MAX_TEXT_BYTES, window: MAX_TEXT_BYTES, windowMax: MAX_TEXT_BYTES, lines: 1e6 };
    const large = { ...limits, ...most, answerLines: 1e6, tokens: Number.POSITIVE_INFINITY };
    return callTool(engine, textTool(display), input, {
      limits: input.about ? limits : large,
      settings,
      dialect: 'hook',
    });
  }

  #engineOf(cwd: string, roots: readonly string[]): OrielAssembly {
    const key = JSON.stringify([cwd, roots]);
    const engine =
      this.#engines.get(key) ??
      assemble({
        cwd,
        roots,
        session: this.#session,
        deny: [...DEFAULT_DENY],
        web: false,
        s3: false,
        telemetry: false,
        timeoutMs: TIMEOUT_MS,
      });
    this.#engines.set(key, engine);
    return engine;
  }
}

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

function directoryOf({ cwd }: HookEvent): string {
  return cwd !== undefined && isAbsolute(cwd) ? cwd : '/';
}

/**
 * Whether there are rules for reading that would not be asked about a text which is opened in place of a file: those of the
 * person, and of directories above. What the settings of `cwd` deny is kept by the engine.
 */
function hasReadRules(cwd: string): boolean {
  const user = join(variable('CLAUDE_CONFIG_DIR', join(homedir(), '.claude')), 'settings.json');
  const other = [user, ...MANAGED_SETTINGS];
  for (let at = cwd; at !== dirname(at); at = dirname(at)) other.push(...settingsIn(dirname(at)));
  return (
    settingsIn(cwd).some((path) => rulesReading(path, ['ask'])) ||
    other.some((path) => rulesReading(path, ['ask', 'deny']))
  );
}

const settingsIn = (directory: string): string[] =>
  ['settings.json', 'settings.local.json'].map((name) => join(directory, '.claude', name));

/** Whether a list of the settings has rules for reading; also if the file cannot be read. */
function rulesReading(path: string, lists: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  try {
    // A pipe or a device would be read without end.
    if (!statSync(path).isFile()) return true;
    const { permissions } = JSON.parse(readFileSync(path, 'utf8')) as { permissions?: Fields };
    return lists.some((list) => JSON.stringify(permissions?.[list] ?? []).includes('"Read'));
  } catch {
    return true;
  }
}

function isWhole({ offset, limit, pages }: Readonly<Record<string, unknown>>): boolean {
  return [offset, limit, pages].every((one) => one === undefined || one === null);
}

/** Whether an agent's own answer goes to the end of a file; it may have numbers and more around the lines. */
function isAllOf(path: string, answer: string): boolean {
  const stats = statSync(path);
  if (!stats.isFile() || Buffer.byteLength(answer) < stats.size * MIN_WHOLE_SHARE) return false;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-END_LINES);
  return lines.every((line) => answer.includes(line.trim(), answer.length - END_CHARACTERS));
}

/** The last line of a window that begins with `from`, which it always has. */
function lastInWindow(path: string, from: number, to: number): number {
  const lines = readFileSync(path, 'latin1')
    .split('\n', to)
    .slice(from - 1);
  let left = MAX_WINDOW_BYTES;
  const further = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return further === -1 ? to : from - 1 + Math.max(further, 1);
}

/** Undefined if there is no such file. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(await realpath(path), { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

const textTool = (display: LineDisplay): CallableTool<string | undefined> => ({
  name: 'hook',
  prepare(accepted, limits) {
    const { target, about, call, fits = false } = accepted as TextInput;
    return {
      request: about
        ? { kind: 'read', target, grammar: 'literal', kinds: ['file'], about }
        : { kind: 'read', target, grammar: 'selectors' },
      limits,
      policy: { ...cutPolicy, display },
      answer(result: EngineResult) {
        if (result.kind === 'summary' && call) return mapText(result, call, fits);
        if (result.kind !== 'text' || about || result.excerpt.cutBy) return undefined;
        const text = result.excerpt.parts
          .flat()
          .map((line) => display.show(line))
          .join('');
        // Its parts are read by the same tool, which is answered the same way.
        const hasParts = (result.format === 'archive' || result.format === 'sqlite') && !/[:?]/.test(target);
        return hasParts ? `${text}[Read a part of it by its name behind the path: ${target}:NAME]\n` : text;
      },
    };
  },
  // A private file, a damaged one: the agent has its own rules and answers.
  failure: () => undefined,
});

/** The map of a file, with a call that the agent's own tool takes. */
function mapText(
  { summary, totals }: SummaryResult,
  call: (from: number, to: number) => string,
  fits: boolean,
): string {
  const body = summary.parts.map((part) => showPart(part, displays.numbers)).join('');
  const [first] = summary.elided.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const { from, to } = first ?? { from: 1, to: totals.lines };
  return `${body}[Map: ${summary.elidedLines} of ${totals.lines} lines are not shown. The numbers before | are lines of the file: read what is missing by them, such as ${call(from, to)}${fits ? '. The same call again reads all of it' : ''}]`;
}

/** What the agent's own search cut, with the call for the rest. */
function restOf({
  tool_name: tool,
  tool_input: input = {},
  tool_response: response,
}: HookEvent): HookOutput | undefined {
  const {
    appliedLimit,
    appliedOffset = 0,
    truncated,
    numFiles,
  } = Object(response) as Record<string, unknown>;
  let additionalContext: string | undefined;
  if (tool === 'Grep' && typeof appliedLimit === 'number' && typeof appliedOffset === 'number') {
    const rest = safeJson({ ...input, offset: appliedOffset + appliedLimit });
    additionalContext = `[Only ${appliedLimit} results are shown. For more, use Grep ${rest}]`;
  } else if (tool === 'Glob' && truncated === true) {
    const { pattern, path } = input;
    const rest = { pattern: '.', glob: pattern, path, output_mode: 'files_with_matches', head_limit: 1_000 };
    additionalContext = `[Only ${String(numFiles)} files are shown. For all that are not empty, use Grep ${safeJson(rest)}]`;
  }
  return additionalContext === undefined ? undefined : { additionalContext };
}

// Texts that an agent's own tool can open, in files that only this user can read; and what was answered with a map.

const TEXT_NAME = /^[0-9a-f]{24}\.txt$/;

const NOTES_NAME = 'mapped';

/** Lines of notes; of more, only the last half is kept. */
const MAX_NOTES = 10_000;

/** Removes them, when oriel is behind no agent any more; those of Gemini CLI are below its own directory. */
export function removeKeptTexts(): void {
  const gemini = join(homedir(), '.gemini/tmp');
  const projects = existsSync(gemini) ? readdirSync(gemini).map((name) => join(gemini, name, 'oriel')) : [];
  for (const directory of [join(cachePath(process.env), 'hook'), ...projects])
    if (existsSync(directory) && isPrivateDirectory(directory))
      for (const name of readdirSync(directory))
        if (TEXT_NAME.test(name) || name === NOTES_NAME) rmSync(join(directory, name), { force: true });
}

class KeptTexts {
  /** It may have been removed, or be another one now. */
  get #directory(): string {
    return privateDirectory(join(cacheDirectory(), 'hook'));
  }

  /** The absolute path of a new file with this text; old ones are removed. */
  write(text: string, at?: string): string {
    const directory = at === undefined ? this.#directory : privateDirectory(at);
    sweepFiles(directory, (name) => TEXT_NAME.test(name));
    const path = join(directory, `${randomBytes(12).toString('hex')}.txt`);
    writeFileSync(path, text, { flag: 'wx', mode: PRIVATE_FILE });
    return path;
  }

  /** Whether `path` is a text that was kept, and not a link to something else. */
  has(path: string, at = this.#directory): boolean {
    if (!TEXT_NAME.test(basename(path)) || dirname(path) !== at) return false;
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  }

  /** Two digests each, the last ones last. */
  notes(): [string, string][] {
    let lines: readonly string[] = [];
    try {
      lines = readFileSync(this.#notesPath, 'utf8').split('\n');
      if (lines.length > MAX_NOTES) {
        lines = lines.slice(-MAX_NOTES / 2);
        writeFileSync(this.#notesPath, lines.join('\n'), { mode: PRIVATE_FILE });
      }
    } catch {
      // There are none.
    }
    return lines.flatMap((line): [string, string][] => {
      const [, key, version] = /^([0-9a-f]{32}) ([0-9a-f]{32})$/.exec(line) ?? [];
      return key === undefined || version === undefined ? [] : [[key, version]];
    });
  }

  /** So that another helper knows it, too. */
  note(key: string, version: string): void {
    appendFileSync(this.#notesPath, `${key} ${version}\n`, { mode: PRIVATE_FILE });
  }

  get #notesPath(): string {
    return join(this.#directory, NOTES_NAME);
  }
}

// Folds the output of a command as `bash` does.

/** The lines that are shown of an output, and how many are not. `command`: the line that was run. */
function withoutNoise(output: string, command: string): { readonly text: string; readonly left: number } {
  const lines = (output.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) =>
    terminalText(line).replace(/\r(?=\n?$)/, ''),
  );
  if (lines.length > MAX_COMPARED_LINES) return { text: lines.join(''), left: 0 };
  const stored: StoredLine[] = [];
  for (const [at, line] of lines.entries()) {
    const bytes = Buffer.from(line);
    const start = stored[at - 1]?.end ?? 0;
    stored.push({ bytes, start, end: start + bytes.length, whole: true });
  }
  const runs = [...foldedRuns(stored.toReversed(), foldedLines(command))].toReversed();
  const shown = runs.map(({ bytes, folded }) => {
    const line = Buffer.from(bytes).toString();
    return folded === undefined ? line : `${line.replace(/\n$/, '')}\n[${folded} lines like this]\n`;
  });
  return { text: shown.join(''), left: lines.length - runs.length };
}
