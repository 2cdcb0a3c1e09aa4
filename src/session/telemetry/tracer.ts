/** Tells OpenTelemetry of calls, where the host has registered an SDK: without one nothing of it is loaded. */

import type { CallEvent } from '../../types/telemetry.ts';
import type { TraceOrigin } from '../../types/trace.ts';

/** Where the API of OpenTelemetry (version 1) keeps what an SDK registers. */
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

  /** `onError` hears of the first failure. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** In the asynchronous context of the call, also where the API has to be loaded first. Never throws. */
  async record(event: CallEvent, trace: TraceOrigin | undefined): Promise<void> {
    try {
      const { recordCall } = (tracing ??= await loadTracing());
      recordCall(event, trace);
    } catch (error) {
      // A host without the package, or an exporter that fails: no call does.
      if (!this.#told) this.#onError(error);
      this.#told = true;
    }
  }
}
