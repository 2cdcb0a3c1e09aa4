/** Serves an MCP session over stdio, from its first line to its end. */

import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { OrielError } from '../../errors.ts';
import { compileLate } from '../../process/compile-budget.ts';
import { type Caller, within } from '../../queues/caller.ts';
import { binarySize } from '../../render/display.ts';
import { FrameSplitter, type LineFrame } from '../../text/bytes.ts';
import { hasTooManyValues, MAX_JSON_VALUES, safeJson } from '../../text/visible.ts';
import { createOffer, type OfferOptions, type ServerOffer } from '../offer.ts';
import { endedError, endingError, GRACE_MS, type OutletOptions, PeerOutlet } from '../outbox.ts';
import {
  type CallServer,
  DUPLICATE_ID,
  EMPTY_OR_LONG_BATCH,
  hasRoundedId,
  INVALID_REQUEST,
  isPlainRequest,
  MAX_BATCH_MESSAGES,
  NO_BATCHES,
  PARSE_ERROR,
  ROUNDED_ID,
  SERVER_ERROR,
  withoutNulls,
} from './call-server.ts';
import { createMcpServer, eachOnce, type McpOptions, wideRoots } from './server.ts';

export interface StdioStreams {
  readonly input: Readable & { readonly isTTY?: boolean | undefined };
  readonly output: Writable;
  /** Ends the session when it aborts. Pending requests have a moment. */
  readonly signal: AbortSignal;
  /** Receives each warning, a sentence. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Timeout in milliseconds for a client that does not read. */
  readonly writeTimeoutMs?: number | undefined;
}

/** Uses after which V8 optimizes as usual: few sessions have more, and until then optimizing costs more than it saves. */
const MAX_SHORT_USES = 500;

/** Serves the tools of `options` in a session of its own. Resolves as `serveOverStdio`. Throws OrielError. */
export async function offerOverStdio(
  options: OfferOptions,
  wires: StdioStreams,
  mcpOptions: McpOptions,
): Promise<void> {
  const offer = createOffer(options);
  for (const sentence of wideRoots(offer)) wires.warn?.(sentence);
  await serveOverStdio(offer, wires, mcpOptions);
  await offer.close();
}

/** Resolves when the client has disconnected or `signal` was aborted, and all work has ended. */
export async function serveOverStdio(
  offer: ServerOffer,
  wires: StdioStreams,
  options: McpOptions = {},
): Promise<void> {
  // One caller for all servers that the SDK makes for this client.
  const caller = options.caller ?? {};
  const transport = new BoundedStdioTransport(wires.input, wires.output, caller, {
    timeoutMs: wires.writeTimeoutMs,
  });
  const ended = new Promise<void>((resolve) => transport.whenClosed(resolve));
  const warn = eachOnce((sentence) => wires.warn?.(sentence));
  let uses = 0;
  let compileAsUsual: (() => void) | undefined;
  const onUsed = (): void => {
    uses += 1;
    if (uses === 1) compileAsUsual = compileLate();
    if (uses === MAX_SHORT_USES) compileAsUsual?.();
  };
  const server = (): CallServer =>
    createMcpServer(offer, { transport: 'pipe', warn, onUsed, ...options, caller });
  const session = serveStdio(server, { transport });
  transport.whenDone(() => void session.close());
  const end = (): void => void transport.drain();
  if (wires.signal.aborted) end();
  wires.signal.addEventListener('abort', end, { once: true });
  await ended;
  // A person stops a server whose input is open. Hosts close that first.
  if (uses === 0 && !wires.input.isTTY && (!wires.signal.aborted || wires.input.readableEnded))
    warn('The client left before it asked for the tools. Some give a server little time to start.');
  // Waits until a slow host has read the last answers; not for long, if the process is to end.
  await transport.taken(wires.signal.aborted ? UNSENT_MS : undefined);
  wires.signal.removeEventListener('abort', end);
  await session.close();
}

// The stdio transport of MCP: one JSON-RPC message on each line. The SDK's own transport silently drops some invalid input
// and fails on other (a line that is not JSON, a line of 11 MB, an id that is already pending). This one answers each with an
// error and continues.

type RequestId = string | number;

/** Unsent bytes of the client above which no more input is read. */
const UNSENT_BYTES = 1 << 20;

/** Maximum bytes of a line; an MCP request usually has a few KiB. */
const FRAME_BYTES = 4 * 2 ** 20;

/** Pending requests at which no more input is read. */
const MAX_WAITING_REQUESTS = 1_000;

/** Bytes of pending requests above which no more input is read. */
const WAITING_BYTES = 32 << 20;

/**
 * Milliseconds that pending requests have after the end of the input. With `printf … | oriel mcp` the input ends before the
 * first call has loaded its code.
 */
export const STDIO_DRAIN_MS = 5_000;

/** Milliseconds that a client has to read what is unsent when the server is told to end. */
const UNSENT_MS = 2_000;

/** A request that stays pending as long as its client listens. */
const LISTEN = 'subscriptions/listen';

/** The only protocol version with batches. */
const BATCH_VERSION = '2025-03-26';

/** A batch, which is answered with one list. */
interface MessageBatch {
  readonly pending: Set<RequestId>;
  readonly answers: object[];
}

export class BoundedStdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'] | undefined;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #outlet: PeerOutlet;
  readonly #frames = new FrameSplitter(FRAME_BYTES);
  /** Pending requests, with their bytes. */
  readonly #waiting = new Map<RequestId, number>();
  #waitingBytes = 0;
  /** Those of the pending requests that end only with the session. */
  readonly #listening = new Set<RequestId>();
  readonly #batches = new Map<RequestId, MessageBatch>();
  /** Whether the client initialized a protocol version that has batches. */
  #hasBatches = false;
  #chunks = 0;
  /** Whether requests are refused, because the server was told to end. */
  #draining = false;
  /** Whether everything was read that had arrived then. */
  #isRead = false;
  #ended = false;
  #closed = false;
  #drain: NodeJS.Timeout | undefined;
  #tellDone: (() => void) | undefined;
  #tellClosed: (() => void) | undefined;

  /** `caller`: the client, whose calls wait while it does not read. */
  constructor(input: Readable, output: Writable, caller: Caller = {}, options: OutletOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#outlet = new PeerOutlet(output, caller, { ...options, end: () => void this.close() });
  }

  /** Registers a callback besides `onclose`, which the SDK uses. */
  whenClosed(tell: () => void): void {
    this.#tellClosed = tell;
  }

  /** Registers what closes the session when nothing more is to be answered; when absent, the transport closes itself. */
  whenDone(tell: () => void): void {
    this.#tellDone = tell;
  }

  start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.on('close', this.#onEnd);
    this.#input.on('error', this.#onEnd);
    this.#output.on('error', this.#onBroken);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if ('method' in message || message.id === undefined) this.#write(message);
    else {
      this.#answer(message.id, message);
      this.#settle(message.id);
    }
    return Promise.resolve();
  }

  /** Resolves when the client has read everything, or has disconnected; or after `ms`. */
  taken(ms?: number): Promise<void> {
    const taken = this.#outlet.taken();
    return ms === undefined ? taken : within(ms, taken);
  }

  /**
   * Refuses new requests. The session is done when the pending ones are answered, or have had their time. A client that has closed
   * the input before waits no longer: hosts do so first, and kill the process soon after the signal.
   */
  async drain(): Promise<void> {
    if (this.#draining || this.#closed) return;
    this.#draining = true;
    if (this.#ended) return this.#finish();
    this.#drain = setTimeout(() => this.#finish(), GRACE_MS);
    this.#resumeIfRoom();
    await this.#readArrived();
    this.#isRead = true;
    this.#finishWhenAnswered();
  }

  /** Closes the session. What is still pending gets an error. */
  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    for (const id of this.#waiting.keys()) {
      this.#fail(id, endedError());
      this.#leaveBatch(id);
    }
    this.#closed = true;
    clearTimeout(this.#drain);
    this.#input.off('data', this.#onData);
    // An open pipe would keep the process alive.
    this.#input.destroy();
    this.onclose?.();
    this.#tellClosed?.();
    return Promise.resolve();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks += 1;
    for (const frame of this.#frames.push(chunk)) this.#receive(frame);
  };

  readonly #onEnd = (): void => {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    const rest = this.#frames.end();
    if (rest) this.#receive(rest);
    this.#drain ??= setTimeout(() => this.#finish(), STDIO_DRAIN_MS);
    this.#finishWhenAnswered();
  };

  /** The client has closed its end of the output. */
  readonly #onBroken = (): void => void this.close();

  #finish(): void {
    if (this.#tellDone) this.#tellDone();
    else void this.close();
  }

  /** Resolves when the input that has arrived was read, of a client that reads its answers. */
  async #readArrived(): Promise<void> {
    for (let before = -1; before !== this.#chunks && !this.#closed;) {
      before = this.#chunks;
      // The input is paused while answers are unsent.
      await this.taken(UNSENT_MS);
      // What has arrived already is read in the first turn at the latest.
      for (let i = 0; i < 2; i += 1) await nextTurn();
    }
  }

  #receive(frame: LineFrame): void {
    if (frame.kind === 'oversized') {
      this.#refuse(INVALID_REQUEST, `The message is larger than ${binarySize(FRAME_BYTES)}.`);
      return;
    }
    if (frame.bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) return;
    // Some clients begin with a byte order mark.
    const text = frame.bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (hasTooManyValues(text)) {
      this.#refuse(
        INVALID_REQUEST,
        `The message has more than ${MAX_JSON_VALUES.toLocaleString('en')} values.`,
      );
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(PARSE_ERROR, 'The message is not valid JSON.');
      return;
    }
    value = withoutNulls(value);
    if (Array.isArray(value) && this.#hasBatches) this.#acceptBatch(value, frame.bytes.length);
    else if (Array.isArray(value)) this.#refuse(NO_BATCHES.code, NO_BATCHES.message);
    else this.#accept(value, frame.bytes.length);
  }

  #acceptBatch(values: readonly unknown[], bytes: number): void {
    if (values.length === 0 || values.length > MAX_BATCH_MESSAGES) {
      this.#refuse(EMPTY_OR_LONG_BATCH.code, EMPTY_OR_LONG_BATCH.message);
      return;
    }
    const batch: MessageBatch = { pending: new Set(), answers: [] };
    for (const value of values) this.#accept(value, bytes / values.length, batch);
    this.#writeIfAnswered(batch);
  }

  #accept(value: unknown, bytes: number, batch?: MessageBatch): void {
    const { id } = Object(value) as { id?: unknown };
    const known = isRequestId(id) ? id : undefined;
    const refuse = (code: number, message: string, of?: RequestId): void =>
      this.#refuse(code, message, of, batch);
    if (hasRoundedId(value)) {
      refuse(ROUNDED_ID.code, ROUNDED_ID.message);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = isPlainRequest(value) ? value : parseJSONRPCMessage(value);
    } catch {
      refuse(INVALID_REQUEST, 'The message is not a JSON-RPC 2.0 request, notification or response.', known);
      return;
    }
    if ('method' in message && 'id' in message) {
      if (this.#waiting.has(message.id)) {
        refuse(DUPLICATE_ID.code, DUPLICATE_ID.message, known);
        return;
      }
      batch?.pending.add(message.id);
      if (batch) this.#batches.set(message.id, batch);
      if (this.#draining) {
        this.#fail(message.id, endingError());
        this.#leaveBatch(message.id);
        return;
      }
      if (message.method === LISTEN) this.#listening.add(message.id);
      if (message.method === 'initialize')
        this.#hasBatches = message.params?.['protocolVersion'] === BATCH_VERSION;
      this.#waiting.set(message.id, bytes);
      this.#waitingBytes += bytes;
      this.#pauseIfFull();
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      // A cancelled request gets no answer.
      const cancelled = message.params?.['requestId'];
      if (isRequestId(cancelled)) this.#settle(cancelled);
    }
    this.onmessage?.(message);
  }

  /** The id is null if that of the message could not be determined (JSON-RPC 2.0, section 5). */
  #refuse(code: number, message: string, id: RequestId | null = null, batch?: MessageBatch): void {
    const refusal = { jsonrpc: '2.0', id, error: { code, message } };
    if (batch) batch.answers.push(refusal);
    else this.#write(refusal);
  }

  #answer(id: RequestId, message: object): void {
    const batch = this.#batches.get(id);
    if (batch) batch.answers.push(message);
    else this.#write(message);
  }

  #leaveBatch(id: RequestId): void {
    const batch = this.#batches.get(id);
    if (!batch) return;
    this.#batches.delete(id);
    batch.pending.delete(id);
    this.#writeIfAnswered(batch);
  }

  #writeIfAnswered({ pending, answers }: MessageBatch): void {
    // A batch of notifications gets no answer.
    if (pending.size === 0 && answers.length > 0) this.#write(answers.splice(0));
  }

  #fail(id: RequestId, { message, code }: OrielError): void {
    this.#answer(id, { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message, data: { code } } });
  }

  #write(message: object): void {
    this.#outlet.write(`${safeJson(message)}\n`);
    this.#pauseIfFull();
  }

  /** Backpressure: pauses the input while the client does not read, or has too many pending requests. */
  #pauseIfFull(): void {
    if (!this.#isFull() || this.#input.isPaused()) return;
    this.#input.pause();
    void this.#outlet.taken().then(() => this.#resumeIfRoom());
  }

  #resumeIfRoom(): void {
    if (!this.#closed && !this.#isFull() && this.#input.isPaused()) this.#input.resume();
  }

  #isFull(): boolean {
    // Requests that are refused do not wait.
    const isWaiting = this.#waiting.size >= MAX_WAITING_REQUESTS || this.#waitingBytes >= WAITING_BYTES;
    return (isWaiting && !this.#draining) || this.#outlet.bytes > UNSENT_BYTES;
  }

  #settle(id: RequestId): void {
    this.#waitingBytes -= this.#waiting.get(id) ?? 0;
    this.#waiting.delete(id);
    this.#listening.delete(id);
    this.#leaveBatch(id);
    this.#resumeIfRoom();
    this.#finishWhenAnswered();
  }

  #finishWhenAnswered(): void {
    if (!(this.#ended || this.#isRead) || this.#waiting.size > this.#listening.size) return;
    const taken = this.#draining ? this.taken(UNSENT_MS) : this.#outlet.taken();
    void taken.then(() => setImmediate(() => this.#finish()));
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
