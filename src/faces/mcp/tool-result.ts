/** Converts tools and answers to the types of the protocol. */

import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Tool as McpTool,
} from '@modelcontextprotocol/server';
import type { Tool } from '../../oriel.ts';
import type { Caller } from '../../queues/caller.ts';
import { safeJson } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { FACTS_ROOM, type HostIdentity } from '../hosts.ts';
import { pace, type ProgressPace, unsentTo } from '../outbox.ts';

/**
 * The key in `_meta` for the details of an answer, and with the value true in `_meta` of a request, that of a client which
 * wants them: some hosts count `_meta`, or show it to the model.
 */
export const DETAILS_KEY = 'io.github.oriel/details';

/** Whether a request asks for the details of its answer. */
export function wantsDetails(meta: unknown): boolean {
  return (Object(meta) as Fields)[DETAILS_KEY] === true;
}

/**
 * Who sent a request: its name is in each request since protocol 2026-07-28, before only in `initialize` (`initialized`);
 * Codex sends the name of its model with each call.
 */
export function hostIn(
  { envelope, _meta }: { readonly envelope?: unknown; readonly _meta?: unknown },
  initialized: string | undefined,
): HostIdentity {
  const { name } = Object((Object(envelope) as Fields)[CLIENT_INFO_META_KEY]) as Fields;
  const { model } = Object((Object(_meta) as Fields)['x-codex-turn-metadata']) as Fields;
  return {
    name: typeof name === 'string' ? name : (initialized ?? ''),
    model: typeof model === 'string' ? model : undefined,
  };
}

type Fields = Readonly<Record<string, unknown>>;

export interface ResultOptions {
  /** Also answer with `structuredContent`. */
  readonly structured?: boolean | undefined;
  /** Also answer with what a script uses. */
  readonly scripts?: boolean | undefined;
  /** Also answer with the details in `_meta`. */
  readonly detailed?: boolean | undefined;
}

/** The schema of `structuredContent`. */
const structuredSchema = {
  type: 'object',
  properties: { text: { type: 'string' }, details: { type: 'object' } },
  required: ['text', 'details'],
} as const;

/** The schema of `structuredContent` for scripts. `next`: the path of the next read, or the fields of the next call of another tool. */
const scriptSchema = {
  type: 'object',
  description: 'For scripts. A read with script: true gets larger pages.',
  properties: {
    text: { type: 'string' },
    next: {},
    truncated: { type: 'boolean' },
    lines: { type: 'integer' },
    total: { type: 'integer' },
  },
  required: ['text', 'truncated', 'lines'],
} as const;

/** The field of a call that a script makes for itself. Described in the schema of the result, because every request has this one. */
const scriptField = { type: 'boolean' } as const;

/** The arguments without the field for scripts, and whether it is set. */
export function splitScript(given: Fields): { readonly script: boolean; readonly input: Fields } {
  const { script, ...input } = given;
  return { script: script === true || script === 'true', input };
}

/** The tools that have the field for scripts: lists and matches are paged by `limit`. */
const READS = /^read(?:_file)?$/;

/** Of the tools that a host shows from the first request on, unless the operator left them to its search. */
const ALWAYS_SHOWN = /^(?:read|read_file|grep)$/;

/** Measured: an answer of so many characters arrives whole in a host that reads this field. Larger limits, set by a person, may not. */
const MAX_RESULT_CHARACTERS = 90_000;

export interface DefinitionOptions {
  /** Also declare `structuredContent`. */
  readonly structured?: boolean | undefined;
  /** Declare what scripts use: the structured content, and the field `script`. */
  readonly scripts?: boolean | undefined;
  /** Leave the tool to the host's search. */
  readonly deferred?: boolean | undefined;
}

export function toolDefinition(
  tool: Tool,
  { structured, scripts, deferred }: DefinitionOptions = {},
): McpTool {
  const { name, title, description, effects } = tool;
  // A model needs no bounds: the tool itself names what it does not take.
  const { $schema: _, additionalProperties: __, ...own } = tool.jsonSchema;
  const fields = Object.entries((own['properties'] ?? {}) as Record<string, Fields>);
  const properties: Record<string, object> = Object.fromEntries(
    fields.map(([field, { minimum: _least, maximum: _most, ...rest }]) => [field, rest]),
  );
  if (scripts && READS.test(name)) properties['script'] = scriptField;
  const inputSchema = { ...own, properties };
  const outputSchema = structured ? structuredSchema : scripts ? scriptSchema : undefined;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as McpTool['inputSchema'],
    outputSchema: outputSchema as unknown as McpTool['outputSchema'],
    annotations: {
      title,
      readOnlyHint: effects.readOnly,
      destructiveHint: effects.destructive,
      idempotentHint: effects.idempotent,
      openWorldHint: effects.openWorld,
    },
    _meta: ALWAYS_SHOWN.test(name)
      ? {
          ...(!deferred && { 'anthropic/alwaysLoad': true }),
          'anthropic/maxResultSizeChars': MAX_RESULT_CHARACTERS,
        }
      : undefined,
  };
}

/**
 * Hosts show a model only `structuredContent` if it is present. So it includes the text, and is only there if the operator
 * turned it on.
 */
export function toolResult(
  { content, details, isError }: Answer,
  { structured, scripts, detailed }: ResultOptions = {},
): CallToolResult {
  // The fields are in the order of the SDK's schemas, which plain calls skip.
  return {
    _meta: detailed ? { [DETAILS_KEY]: details } : undefined,
    content: content.map((block) =>
      block.type === 'text'
        ? { type: block.type, text: block.text }
        : { type: block.type, data: block.data, mimeType: block.mimeType },
    ),
    structuredContent: structured
      ? { text: textOf(content), details: factsOf(details) }
      : scripts
        ? scriptValues(textOf(content), details)
        : undefined,
    isError: isError || undefined,
  };
}

function textOf(content: Answer['content']): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/**
 * `lines`: those shown of a text or of a command's output, of other answers those of `text`; `total`: those of the whole, if
 * they are counted.
 */
function scriptValues(text: string, details: Answer['details']): Record<string, unknown> {
  const output = Object(details['output']) as Fields;
  const truncation = details['truncation'] ?? output['truncation'];
  const { next } = Object(truncation) as Fields;
  const { shown } = Object(output['truncation'] ?? truncation) as Fields;
  const { lines: total } = Object(output['totals'] ?? details['totals']) as Fields;
  const ranges = (Object(shown) as { lines?: readonly (readonly [number, number])[] }).lines;
  const lines =
    ranges?.reduce((sum, [from, to]) => sum + to - from + 1, 0) ??
    (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);
  const truncated = truncation !== undefined || output['folded'] !== undefined;
  return { text, next, truncated, lines, total };
}

/** Details that are too large are only in `_meta`; here are the source, the truncation with the next call, and the error. */
function factsOf(details: Answer['details']): Record<string, unknown> {
  if (Buffer.byteLength(safeJson(details)) <= FACTS_ROOM) return { ...details };
  const { source, kind, truncation, error } = details;
  const short = { source, kind, truncation, error };
  if (Buffer.byteLength(safeJson(short)) <= FACTS_ROOM) return short;
  return { kind, error: error === undefined ? undefined : (Object(error) as object) };
}

// Sends progress notifications over MCP to a client that gave a progress token.

/** Maximum characters of a progress token, which every notification repeats. With a longer one there are no notifications. */
const MAX_PROGRESS_TOKEN_CHARACTERS = 1_024;

/** No progress is sent to a client with more unsent bytes. */
const UNSENT_BYTES = 64 << 10;

/** The part of a request that progress needs, in any version of the SDK. */
interface Asked {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly signal: AbortSignal;
  notify(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total?: number | undefined; message: string };
  }): Promise<void>;
}

/** `caller`: the client whose unsent bytes are checked; none when absent. */
export function progressTo(
  { mcpReq }: { readonly mcpReq: Asked },
  caller?: Caller,
): ProgressPace | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined || String(token).length > MAX_PROGRESS_TOKEN_CHARACTERS) return undefined;
  let last = 0;
  return pace(({ message, done, total }) => {
    // The id may belong to another request by now.
    if (mcpReq.signal.aborted) return;
    if (caller && unsentTo(caller) > UNSENT_BYTES) return;
    // The protocol requires that progress increases with each notification.
    const progress = done !== undefined && done > last ? done : last + 1;
    last = progress;
    const counted = total !== undefined && total >= progress;
    void mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, ...(counted && { total }), message },
      })
      .catch(() => undefined);
  });
}
