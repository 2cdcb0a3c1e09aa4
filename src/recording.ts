/** Records one call: what it was asked, what it answered, how long that took. */

import type { CallOptions, Engine } from './engine/open-call.ts';
import { explained, report } from './engine/unexpected.ts';
import { listOf, readsOf } from './telemetry/call-facts.ts';
import type { Request } from './types/request.ts';
import type { Result } from './types/result.ts';
import type { CallFacts, TelemetrySink } from './types/telemetry.ts';

/** Of a call that is not recorded. */
const SILENT: Pick<Recording, 'asked' | 'found' | 'ended'> = {
  asked: () => undefined,
  found: () => undefined,
  ended: () => undefined,
};

/** Of a call that begins now. Never throws: a call that cannot be recorded is answered all the same. */
export function recordingOf(
  engine: Engine,
  tool: string,
  dialect: string,
  options: CallOptions,
): Pick<Recording, 'asked' | 'found' | 'ended'> {
  const { telemetry } = engine.session;
  if (!telemetry) return SILENT;
  try {
    return new Recording(telemetry, engine.onError, tool, dialect, options);
  } catch (thrown) {
    report(engine.onError, explained(thrown), tool);
    return SILENT;
  }
}

class Recording {
  readonly #telemetry: TelemetrySink;
  readonly #onError: Engine['onError'];
  readonly #tool: string;
  readonly #dialect: string;
  readonly #options: CallOptions;
  readonly #at = Date.now();
  readonly #began = performance.now();
  #request: Request | undefined;
  #result: Result | undefined;

  constructor(
    telemetry: TelemetrySink,
    onError: Engine['onError'],
    tool: string,
    dialect: string,
    options: CallOptions,
  ) {
    this.#telemetry = telemetry;
    this.#onError = onError;
    this.#tool = tool;
    this.#dialect = dialect;
    this.#options = options;
  }

  /** What the engine is asked. */
  asked(request: Request): void {
    this.#request = request;
  }

  found(result: Result): void {
    this.#result = result;
  }

  /** The call is over, with this answer. Never throws. */
  ended(answer: unknown, error?: string): void {
    try {
      this.#telemetry.record(this.#facts(answer as Answered, error), this.#options);
    } catch (thrown) {
      report(this.#onError, explained(thrown), this.#tool);
    }
  }

  #facts(answer: Answered, error: string | undefined): CallFacts {
    const { content = '', details, isError } = answer;
    const { bytes, images } = sizeOf(content);
    const code = error ?? (isError ? codeIn(details) : undefined);
    const request = this.#request;
    const reads = request ? readsOf(request, this.#result, this.#dialect) : [];
    const list = request && listOf(request, details);
    return {
      at: this.#at,
      ms: Math.round((performance.now() - this.#began) * 1_000) / 1_000,
      dialect: this.#dialect,
      tool: this.#tool,
      host: this.#options.host,
      bytes,
      tokens: Math.ceil(bytes / 4),
      images: images > 0 ? images : undefined,
      error: code,
      reads: reads.length > 0 ? reads : undefined,
      list,
    };
  }
}

/** Answers of tools have blocks, those of other faces a text. */
interface Answered {
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

function sizeOf(content: NonNullable<Answered['content']>): {
  readonly bytes: number;
  readonly images: number;
} {
  if (typeof content === 'string') return { bytes: Buffer.byteLength(content), images: 0 };
  let bytes = 0;
  let images = 0;
  for (const { type, text } of content) {
    if (type === 'text' && text !== undefined) bytes += Buffer.byteLength(text);
    else images += 1;
  }
  return { bytes, images };
}

function codeIn(details: Answered['details']): string {
  const { code } = Object(details?.['error']) as { code?: unknown };
  return typeof code === 'string' ? code : 'UNKNOWN';
}
