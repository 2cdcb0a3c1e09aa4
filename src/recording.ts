/** Records one call: what it was asked, what it answered, how long that took. */

import type { CallOptions, Engine } from './engine/open-call.ts';
import { explained, report } from './engine/unexpected.ts';
import { listOf, readsOf } from './telemetry/call-facts.ts';
import type { Request } from './types/request.ts';
import type { Result } from './types/result.ts';
import type { CallFacts, TelemetrySink } from './types/telemetry.ts';

export interface Recording {
  /** What the engine is asked. */
  asked(request: Request): void;
  found(result: Result): void;
  /** The call is over, with this answer. */
  ended(answer: unknown, error?: string): void;
}

const SILENT: Recording = { asked: () => undefined, found: () => undefined, ended: () => undefined };

/** Of a call that begins now. Never throws: a call that cannot be recorded is answered all the same. */
export function recordingOf(engine: Engine, tool: string, dialect: string, options: CallOptions): Recording {
  const { telemetry } = engine.session;
  if (!telemetry) return SILENT;
  const safely = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch (error) {
      report(engine.onError, explained(error), tool);
      return undefined;
    }
  };
  const recording = safely(() => begin(telemetry, tool, dialect, options)) ?? SILENT;
  return { ...recording, ended: (answer, error) => safely(() => recording.ended(answer, error)) };
}

function begin(
  telemetry: TelemetrySink,
  tool: string,
  dialect: string,
  { task, host, caller, trace }: CallOptions,
): Recording {
  const at = Date.now();
  const began = performance.now();
  let request: Request | undefined;
  let result: Result | undefined;
  return {
    asked: (given) => void (request = given),
    found: (given) => void (result = given),
    ended(answer, error) {
      const ms = Math.round((performance.now() - began) * 1_000) / 1_000;
      const about = { at, ms, dialect, tool, ...(host !== undefined && { host }) };
      telemetry.record(
        { ...about, ...factsOf(answer, error), ...readFacts(request, result, answer, dialect) },
        { task, caller, trace },
      );
    },
  };
}

/** Answers of tools have blocks, those of other faces a text. */
interface Answered {
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

function factsOf(
  answer: unknown,
  error: string | undefined,
): Pick<CallFacts, 'bytes' | 'tokens' | 'images' | 'error'> {
  const { content = '', details, isError } = answer as Answered;
  let bytes = 0;
  let images = 0;
  if (typeof content === 'string') bytes = Buffer.byteLength(content);
  else
    for (const { type, text } of content) {
      if (type === 'text' && text !== undefined) bytes += Buffer.byteLength(text);
      else images += 1;
    }
  const code = error ?? (isError ? codeIn(details) : undefined);
  return {
    bytes,
    tokens: Math.ceil(bytes / 4),
    ...(images > 0 && { images }),
    ...(code !== undefined && { error: code }),
  };
}

function codeIn(details: Answered['details']): string {
  const { code } = Object(details?.['error']) as { code?: unknown };
  return typeof code === 'string' ? code : 'UNKNOWN';
}

function readFacts(
  request: Request | undefined,
  result: Result | undefined,
  answer: unknown,
  dialect: string,
): Pick<CallFacts, 'reads' | 'list'> {
  if (!request) return {};
  const reads = readsOf(request, result, dialect);
  const list = listOf(request, (answer as Answered).details);
  return { ...(reads.length > 0 && { reads }), ...(list && { list }) };
}
