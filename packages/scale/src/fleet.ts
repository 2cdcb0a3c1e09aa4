/** A fleet of workspaces: a client for each by its name, common limits, and a report on each. */

import type { ClientOptions, Result } from '../../../src/faces/client/client-request.ts';
import type { Fleet, FleetOptions, GateReport } from '../../../src/faces/client/fleet.ts';
import type { Queue, QueueSlot } from '../../../src/queues/queue.ts';
import { oriel } from './oriel.ts';
import { remoteWorkspace } from './remote-workspace.ts';

const CONCURRENCY = 64;
const PER_WORKSPACE = 8;
const WAITING = 32;
const TIMEOUT_MS = 10_000;

/** An exception of the caller's function counts as a failure of that workspace, so that the other results are not lost. */
async function asked<T>(ask: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await ask();
  } catch (error) {
    return oriel.failed({
      kind: 'protocol',
      message: error instanceof Error ? error.message : String(error),
    });
  }
}

/** As `createFleet` of oriel. */
export function makeFleet({
  workspaces,
  concurrency = CONCURRENCY,
  perWorkspace = PER_WORKSPACE,
  waiting = WAITING,
  timeoutMs = TIMEOUT_MS,
  requestMs,
}: FleetOptions): Fleet {
  const queue = new oriel.Queue('workspaces', 'requests to workspaces run', {
    limit: concurrency,
    // The number of waiting requests is limited for each workspace separately.
    waiting: Number.POSITIVE_INFINITY,
    share: Math.min(1, perWorkspace / concurrency),
  });
  const members = new Map(
    Object.entries(workspaces).map(([name, { tokenFrom, ...options }]) => {
      const gate = new WorkspaceGate({ queue, waiting, timeoutMs, fetch: options.fetch ?? globalThis.fetch });
      const bounded: ClientOptions = { ...options, fetch: gate.fetch };
      const workspace = remoteWorkspace(bounded, {
        name,
        tokenFrom,
        requestMs,
      });
      return [
        name,
        { gate, url: oriel.serverBaseUrl(options.url), client: oriel.createClient(bounded), workspace },
      ];
    }),
  );
  const names = [...members.keys()];
  return {
    names,
    workspaces: Object.fromEntries([...members].map(([name, { workspace }]) => [name, workspace])),
    client: (name) => members.get(name)?.client,
    each: (ask, of = names) =>
      Promise.all(
        of.map(async (name) => {
          const began = performance.now();
          const client = members.get(name)?.client;
          const message = `There is no workspace ${JSON.stringify(name)}.`;
          const result = client
            ? await asked(() => ask(client, name))
            : oriel.failed({ kind: 'protocol', message });
          return { name, result, ms: performance.now() - began };
        }),
      ),
    report: () => [...members].map(([name, { gate, url }]) => ({ name, url, ...gate.report })),
  };
}

// Limits the requests to one workspace of a fleet: their number and their time, and with a circuit breaker
// for a workspace that does not answer.

interface GateOptions {
  /** The queue of the fleet; a workspace may hold a share of its slots. */
  readonly queue: Queue;
  /** Maximum requests that wait for a slot. */
  readonly waiting: number;
  /** Timeout in milliseconds without a byte. */
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
}

/** Consecutive requests without a response after which the circuit opens. */
const MAX_GATE_FAILURES = 3;
/** Milliseconds until the next attempt, doubled after each failure. */
const INITIAL_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

export class WorkspaceGate {
  readonly #options: GateOptions;
  #requests = 0;
  #failed = 0;
  #running = 0;
  #waiting = 0;
  #bytes = 0;
  #answered = 0;
  #answeredMs = 0;
  /** Number of consecutive failures. */
  #failures = 0;
  #why = '';
  /** When the next attempt is allowed, on the clock of `performance.now()`. */
  #askedAgainAt = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get report(): GateReport {
    const isAway = this.#failures >= MAX_GATE_FAILURES;
    return {
      requests: this.#requests,
      failed: this.#failed,
      running: this.#running,
      waiting: this.#waiting,
      bytes: this.#bytes,
      meanMs: this.#answered === 0 ? 0 : this.#answeredMs / this.#answered,
      answered: this.#answered,
      away: isAway ? this.#why : undefined,
    };
  }

  /** As `fetch`; also rejects if too many requests wait, or the circuit is open. */
  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    this.#refuseAway();
    const slot = await this.#slot(init.signal ?? undefined);
    const late = new AbortController();
    const seconds = this.#options.timeoutMs / 1000;
    const idle = new IdleTimer(this.#options.timeoutMs, () => {
      const why = new Error(`it has sent nothing for ${seconds} seconds`);
      late.abort(why);
      // This also covers a body that is never read.
      end(why);
    });
    this.#requests += 1;
    this.#running += 1;
    let over = false;
    const end = (error?: unknown): void => {
      if (over) return;
      over = true;
      idle.stop();
      slot.release();
      this.#running -= 1;
      if (error === undefined) this.#failures = 0;
      else if (init.signal?.aborted !== true) this.#fail(error);
    };
    const began = performance.now();
    try {
      idle.start();
      const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
      const response = await this.#options.fetch(input, { ...init, signal });
      this.#answered += 1;
      this.#answeredMs += performance.now() - began;
      idle.stop();
      return this.#watched(response, { idle, end, late, unreadMs: this.#options.timeoutMs });
    } catch (error) {
      const why = late.signal.aborted ? (late.signal.reason as Error) : error;
      end(why);
      throw why;
    }
  };

  #refuseAway(): void {
    if (this.#failures < MAX_GATE_FAILURES) return;
    const now = performance.now();
    if (now < this.#askedAgainAt) {
      throw new Error(`it has not answered ${this.#failures} times, and is asked again in a moment`);
    }
    // Only this request is tried; others are refused until it has an outcome.
    this.#pause(now);
  }

  #pause(now: number): void {
    const times = Math.max(0, this.#failures - MAX_GATE_FAILURES);
    this.#askedAgainAt = now + Math.min(MAX_PAUSE_MS, INITIAL_PAUSE_MS * 2 ** times);
  }

  #fail(error: unknown): void {
    this.#failed += 1;
    this.#failures += 1;
    const { message, cause } = error as Error & { cause?: { code?: string | undefined } | undefined };
    this.#why = cause?.code ?? message;
    this.#pause(performance.now());
  }

  async #slot(signal: AbortSignal | undefined): Promise<QueueSlot> {
    if (this.#waiting >= this.#options.waiting) {
      throw new Error(`${this.#waiting} other requests wait for it`);
    }
    const slot = this.#options.queue.acquire({ signal, caller: this });
    if (!(slot instanceof Promise)) return slot;
    this.#waiting += 1;
    try {
      return await slot;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Wraps the response, so that the slot is released at the end of its body. */
  #watched(response: Response, { idle, end, late, unreadMs }: Watch): Response {
    if (!response.body) {
      end();
      return response;
    }
    // A slow reader is not a failure of the workspace: only the slot is released.
    const unread = new IdleTimer(unreadMs, () => {
      end();
      late.abort(new Error(`nobody has read its answer for ${unreadMs / 1000} seconds`));
    });
    unread.start();
    const reader = response.body.getReader();
    const count = (bytes: number): void => void (this.#bytes += bytes);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          unread.stop();
          try {
            idle.start();
            const { done, value } = await reader.read();
            idle.stop();
            if (value) {
              count(value.length);
              controller.enqueue(value);
            }
            if (!done) return unread.start();
            end();
            controller.close();
          } catch (error) {
            end(error);
            controller.error(error);
          }
        },
        async cancel(reason) {
          unread.stop();
          end();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }
}

/** The means to end a request whose response has begun. */
interface Watch {
  readonly idle: IdleTimer;
  readonly end: (error?: unknown) => void;
  readonly late: AbortController;
  readonly unreadMs: number;
}

/** A timer that calls `act` after `ms` milliseconds without a restart. */
class IdleTimer {
  readonly #ms: number;
  readonly #act: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, act: () => void) {
    this.#ms = ms;
    this.#act = act;
  }

  start(): void {
    this.stop();
    if (this.#ms !== Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.#act, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
