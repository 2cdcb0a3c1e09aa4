/**
 * The stdio transport of MCP: one JSON-RPC message on each line. The SDK's own transport silently drops some invalid input
 * and fails on other (a line that is not JSON, a line of 11 MB, an id that is already pending). This one answers each with an
 * error and continues.
 */

import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../queues/caller.ts';
import { safeJson } from '../../text/json.ts';
import { hasTooManyValues, MOST_VALUES } from '../../text/json-values.ts';
import { binarySize } from '../../render/units.ts';
import { Outlet, type OutletOptions } from '../outbox.ts';
import { DUPLICATE_ID, INVALID_REQUEST, PARSE_ERROR } from './refusals.ts';
import { FRAME_BYTES, type Frame, FrameSplitter } from './line-frames.ts';
import { isPlainRequest } from './plain-messages.ts';

type RequestId = string | number;

/** Unsent bytes of the client above which no more input is read. */
const UNSENT_BYTES = 1 << 20;

/** Pending requests at which no more input is read. */
const MOST_WAITING = 1_000;

/** Bytes of pending requests above which no more input is read. */
const WAITING_BYTES = 32 << 20;

/**
 * Milliseconds that pending requests have after the end of the input. With `printf … | oriel mcp` the input ends before the
 * first call has loaded its code.
 */
const DRAIN_MS = 5_000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #outlet: Outlet;
  readonly #frames = new FrameSplitter();
  /** Pending requests, with their bytes. */
  readonly #waiting = new Map<RequestId, number>();
  #waitingBytes = 0;
  #ended = false;
  #closed = false;
  #drain: NodeJS.Timeout | undefined;
  #tellClosed: (() => void) | undefined;

  /** `caller`: the client, whose calls wait while it does not read. */
  constructor(input: Readable, output: Writable, caller: Caller = {}, options: OutletOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#outlet = new Outlet(output, caller, { ...options, end: () => void this.close() });
  }

  /** Registers a callback besides `onclose`, which the SDK uses. */
  whenClosed(tell: () => void): void {
    this.#tellClosed = tell;
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
    this.#write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    return Promise.resolve();
  }

  /** Resolves when the client has read everything, or has disconnected. */
  taken(): Promise<void> {
    return this.#outlet.taken();
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
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
    for (const frame of this.#frames.push(chunk)) this.#receive(frame);
  };

  readonly #onEnd = (): void => {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    const rest = this.#frames.end();
    if (rest) this.#receive(rest);
    this.#drain = setTimeout(() => void this.close(), DRAIN_MS);
    this.#closeWhenAnswered();
  };

  /** The client has closed its end of the output. */
  readonly #onBroken = (): void => void this.close();

  #receive(frame: Frame): void {
    if (frame.is === 'oversized') {
      this.#refuse(INVALID_REQUEST, `The message is larger than ${binarySize(FRAME_BYTES)}.`);
      return;
    }
    if (isBlank(frame.bytes)) return;
    const text = frame.bytes.toString('utf8');
    if (hasTooManyValues(text)) {
      this.#refuse(INVALID_REQUEST, `The message has more than ${MOST_VALUES.toLocaleString('en')} values.`);
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(PARSE_ERROR, 'The message is not valid JSON.');
      return;
    }
    this.#accept(value, frame.bytes.length);
  }

  #accept(value: unknown, bytes: number): void {
    const { id } = Object(value) as { id?: unknown };
    const known = isRequestId(id) ? id : undefined;
    let message: JSONRPCMessage;
    try {
      message = isPlainRequest(value) ? value : parseJSONRPCMessage(value);
    } catch {
      this.#refuse(
        INVALID_REQUEST,
        'The message is not a JSON-RPC 2.0 request, notification or response.',
        known,
      );
      return;
    }
    if ('method' in message && 'id' in message) {
      if (this.#waiting.has(message.id)) {
        this.#refuse(DUPLICATE_ID.code, DUPLICATE_ID.message, known);
        return;
      }
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
  #refuse(code: number, message: string, id: RequestId | null = null): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } });
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
    const isWaiting = this.#waiting.size >= MOST_WAITING || this.#waitingBytes >= WAITING_BYTES;
    return isWaiting || this.#outlet.unsent > UNSENT_BYTES;
  }

  #settle(id: RequestId): void {
    this.#waitingBytes -= this.#waiting.get(id) ?? 0;
    this.#waiting.delete(id);
    this.#resumeIfRoom();
    this.#closeWhenAnswered();
  }

  #closeWhenAnswered(): void {
    if (!this.#ended || this.#waiting.size > 0) return;
    void this.#outlet.taken().then(() => setImmediate(() => void this.close()));
  }
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
