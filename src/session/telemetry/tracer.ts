/** Passes calls to OpenTelemetry if the host has registered an SDK; otherwise nothing of it is loaded. */

import type { CallEvent } from '../../types/telemetry.ts';
import type { TraceOrigin } from '../../types/trace.ts';

/** The global symbol under which the OpenTelemetry API (version 1) keeps what an SDK registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export function isTraced(): boolean {
  return (globalThis as Record<symbol, unknown>)[REGISTERED] !== undefined;
}

type Tracing = typeof import('./open-telemetry.ts');

let tracing: Tracing | undefined;

const loadTracing = (): Promise<Tracing> => import('./open-telemetry.ts');

export class Tracer {
  readonly #onError: (error: unknown) => void;
  #told = false;

  /** `onError` receives the first failure only. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs in the asynchronous context of the call, also if the API must be loaded first. Never throws. */
  async record(event: CallEvent, trace: TraceOrigin | undefined): Promise<void> {
    try {
      const { recordCall } = (tracing ??= await loadTracing());
      recordCall(event, trace);
    } catch (error) {
      // The host has not installed the package, or an exporter fails; the call must not fail.
      if (!this.#told) this.#onError(error);
      this.#told = true;
    }
  }
}
