/**
 * Owns finding the id of a request in a frame that cannot be parsed (cut short, or too long to keep), so that
 * whoever waits for its answer gets one.
 */

export type RequestId = string | number;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Bytes of an id; real ones are short. */
const MOST_ID = 128;

/** Follows JSON byte by byte, just far enough to tell which `"id"` is that of the frame and which lies deeper. */
export class IdScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Of the string or number being read at depth 1; undefined elsewhere. */
  #token: number[] | undefined;
  #key = '';
  /** After the colon of a key at depth 1. */
  #isValue = false;
  #id: RequestId | undefined;

  /** A string or number; undefined while none was seen. The last one counts, as for `JSON.parse`. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#step(byte);
  }

  #step(byte: number): void {
    if (this.#inString) this.#inText(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1) this.#token = [byte];
    } else if (byte === 0x7b || byte === 0x5b) {
      // An array at the top is no request: nothing in it is at depth 1 of an object.
      this.#depth += this.#depth === 0 && byte === 0x5b ? 2 : 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      this.#endValue();
      this.#depth -= 1;
    } else if (this.#depth === 1) this.#between(byte);
  }

  #inText(byte: number): void {
    this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #between(byte: number): void {
    if (byte === COLON) {
      const key = this.#take();
      this.#key = typeof key === 'string' ? key : '';
      this.#isValue = true;
    } else if (byte === COMMA) this.#endValue();
    else if (byte > 0x20) {
      this.#token ??= [];
      this.#keep(byte);
    }
  }

  #keep(byte: number): void {
    if (this.#token && this.#token.length <= MOST_ID) this.#token.push(byte);
  }

  #endValue(): void {
    if (this.#depth !== 1) return;
    const value = this.#take();
    if (this.#isValue && this.#key === 'id') this.#id = isRequestId(value) ? value : undefined;
    this.#isValue = false;
  }

  #take(): unknown {
    const text = Buffer.from(this.#token ?? []).toString('utf8');
    this.#token = undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** The id of a frame that is no JSON, if it has got that far. */
export function idIn(bytes: Uint8Array): RequestId | undefined {
  const scanner = new IdScanner();
  scanner.push(bytes);
  return scanner.id;
}
