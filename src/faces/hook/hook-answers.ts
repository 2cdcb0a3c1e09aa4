/** What a hook answers in place of an agent's own tool; most of the time nothing. */

import { type BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { assemble, type OrielAssembly } from '../../assemble.ts';
import type { CallableTool } from '../../call/dialect.ts';
import { DEFAULT_DENY } from '../../files/deny-rules.ts';
import { displays, showPart } from '../../render/display.ts';
import { createSession } from '../../session/session.ts';
import { cutPolicy, KIB, MAX_WHOLE_BYTES } from '../../text/limits.ts';
import { safeJson } from '../../text/visible.ts';
import type { SpokenWords } from '../../types/request.ts';
import type { EngineResult, SummaryResult } from '../../types/result.ts';
import type { Session } from '../../types/session.ts';
import { lastWords } from './dialogue.ts';

/** The most bytes of a map, and the share of its text that it may have. */
const MAX_MAP_BYTES = 8 * KIB;
const MAX_MAP_SHARE = 1 / 3;

/** What the line below a map takes, beside the path of the file. */
const FOOTER_BYTES = 320;

/** How many directories have an engine, and how many files are remembered to have been answered with a map. */
const MAX_ENGINES = 8;
const MAX_REMEMBERED = 10_000;

/** Milliseconds of an answer; the hook does not wait longer. */
const TIMEOUT_MS = 4_500;

/** The fields of Claude Code's hooks; copies of other agents' events have them, too. */
interface HookEvent {
  readonly hook_event_name?: string;
  readonly session_id?: string;
  readonly cwd?: string;
  readonly transcript_path?: string;
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly tool_response?: unknown;
}

interface TextResponse {
  readonly type: 'text';
  readonly file: {
    readonly filePath: string;
    readonly content: string;
    readonly numLines: number;
    readonly startLine: number;
    readonly totalLines: number;
  };
}

interface MapInput {
  readonly path: string;
  readonly about: readonly SpokenWords[];
}

export class HookAnswers {
  readonly #session: Session = createSession({ telemetry: false });
  readonly #engines = new Map<string, OrielAssembly>();
  /** By session and path: the version of the file that was answered with a map. */
  readonly #mapped = new Map<string, string>();

  /** What the hook prints; undefined if the agent's own answer stands. May throw anything. */
  async answer(_host: string, text: string): Promise<string | undefined> {
    const event = JSON.parse(text) as HookEvent;
    const { hook_event_name: name, tool_name: tool } = event;
    if (name !== 'PostToolUse') return undefined;
    const output = tool === 'Read' ? await this.#read(event) : undefined;
    if (output === undefined) return undefined;
    return JSON.stringify({ hookSpecificOutput: { hookEventName: name, updatedToolOutput: output } });
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #read(event: HookEvent): Promise<TextResponse | undefined> {
    const { session_id: session = '', tool_input: input = {}, tool_response: response } = event;
    const { file_path: typed, offset, limit, pages } = input;
    const isWhole = [offset, limit, pages].every((one) => one === undefined || one === null);
    if (typeof typed !== 'string' || !isWhole || !isText(response)) return undefined;
    const { content, totalLines } = response.file;
    if (content.length <= MAX_WHOLE_BYTES) return undefined;
    const cwd = directoryOf(event);
    const path = isAbsolute(typed) ? typed : resolve(cwd, typed);
    const before = await versionOf(path);
    const key = `${session}\0${path}`;
    if (before === undefined || this.#mapped.get(key) === before) return undefined;
    const about = await lastWords(event.transcript_path);
    const map = await this.#map({ path, about }, Buffer.byteLength(content), cwd);
    // Of a file that changed meanwhile nobody knows which text the agent has.
    if (map === undefined || (await versionOf(path)) !== before) return undefined;
    remember(this.#mapped, key, before, MAX_REMEMBERED);
    const numLines = map.split('\n').length;
    return { type: 'text', file: { filePath: typed, content: map, numLines, startLine: 1, totalLines } };
  }

  async #map(input: MapInput, size: number, cwd: string): Promise<string | undefined> {
    const { engine, limits } = await this.#engineOf(cwd);
    const mapBytes = Math.min(MAX_MAP_BYTES, Math.floor(size * MAX_MAP_SHARE)) - FOOTER_BYTES;
    const settings = { ...engine.settings, mapBytes: mapBytes - Buffer.byteLength(input.path) };
    const { callTool } = await import('../../call/call-tool.ts');
    return callTool(engine, mapTool, input, { limits, settings, dialect: 'hook' });
  }

  async #engineOf(cwd: string): Promise<OrielAssembly> {
    const known = this.#engines.get(cwd);
    const engine =
      known ??
      assemble({
        cwd,
        session: this.#session,
        deny: [...DEFAULT_DENY],
        web: false,
        s3: false,
        telemetry: false,
        timeoutMs: TIMEOUT_MS,
      });
    remember(this.#engines, cwd, engine, MAX_ENGINES);
    return engine;
  }
}

/** Puts an entry last, and drops the first ones over `most`. */
function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const first of map.keys()) {
    if (map.size <= most) break;
    map.delete(first);
  }
}

function directoryOf({ cwd }: HookEvent): string {
  return cwd !== undefined && isAbsolute(cwd) ? cwd : '/';
}

function isText(response: unknown): response is TextResponse {
  const { type, file } = Object(response) as Partial<TextResponse>;
  return type === 'text' && typeof file?.content === 'string' && file.startLine === 1;
}

/** Undefined if there is no such file. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats = await lstat(await realpath(path), {
      bigint: true,
    });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

/** The map of a file, with calls that an agent's own tool takes. */
const mapTool: CallableTool<string | undefined> = {
  name: 'map',
  prepare(accepted, limits) {
    const { path, about } = accepted as MapInput;
    return {
      request: { kind: 'read', target: path, grammar: 'literal', kinds: ['file'], about },
      limits,
      policy: cutPolicy,
      answer: (result: EngineResult) =>
        'kind' in result && result.kind === 'summary' ? mapText(result, path) : undefined,
    };
  },
  // A private file, a damaged one: the agent has its own rules and answers.
  failure: () => undefined,
};

function mapText({ summary, totals }: SummaryResult, path: string): string {
  const body = summary.parts.map((part) => showPart(part, displays.numbers)).join('');
  const [first] = summary.elided.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const { from, to } = first ?? { from: 1, to: totals.lines };
  const call = safeJson({ file_path: path, offset: from, limit: to - from + 1 });
  return `${body}[Map: ${summary.elidedLines} of ${totals.lines} lines are not shown. The numbers before | are lines of the file: read what is missing by them, such as ${call}. The same call again reads all of it]`;
}
