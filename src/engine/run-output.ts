/** One output stream of a running command: counts it, keeps its first and last part, and spills it above a limit. */

import { isOrielError, type OrielError } from '../errors.ts';
import { looksBinary } from '../text/binary.ts';
import { decode, utf8 } from '../text/encoding.ts';
import { countNewlines } from '../text/scan.ts';
import type { Line } from '../types/excerpt.ts';
import type { Keep } from '../types/request.ts';
import type { RunStream } from '../types/result.ts';
import type { SpillSink, SpillStore } from '../types/session.ts';
import { Ends } from '../window/ends.ts';
import type { Fit } from '../window/fit.ts';
import { outputExcerpt } from '../window/output-excerpt.ts';

/**
 * The least bytes of the end that are kept in memory. It is more than is shown, because escape sequences and redrawn lines
 * take bytes that are not shown.
 */
const REMEMBERED = 1 << 20;

/** Bytes of the output that are examined to detect binary data, and to find the last lines for a progress report. */
const SAMPLE = 64 << 10;

/** The limits of a progress report. */
const GLANCE = { lines: 20, bytes: 4 << 10, tokens: Number.POSITIVE_INFINITY };

export interface OutputOptions {
  readonly name: RunStream['name'];
  readonly keep: Keep;
  readonly snap: 'line' | 'char';
  readonly fit: Fit;
  readonly spills: SpillStore;
}

export class Output {
  readonly #options: OutputOptions;
  readonly #ends: Ends;
  #spill: SpillSink | undefined;
  #unkept: OrielError | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    const remembered = Math.max(REMEMBERED, options.fit.limits.bytes * 4);
    this.#ends = new Ends({
      head: options.keep === 'tail' ? 0 : remembered,
      tail: remembered,
      countNewlines,
    });
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#ends.bytes;
  }

  /** Takes a chunk; the caller may reuse the buffer immediately. A returned promise is backpressure: wait for it before the next. */
  take(chunk: Uint8Array): Promise<void> | undefined {
    if (!this.#spill && this.#isOverWith(chunk)) this.#spill = this.#beginSpill();
    this.#ends.push(chunk);
    return this.#spill?.write(chunk);
  }

  /** The last lines so far, for a progress report. */
  glance(): readonly Line[] {
    const { fit } = this.#options;
    const { bytes, lines, lastLine, head } = this.#ends;
    const output = { bytes, lines, lastLine, head, tail: () => this.#ends.tail(SAMPLE) };
    const small = { ...fit, limits: { ...fit.limits, ...GLANCE } };
    return outputExcerpt(output, 'tail', small).parts.flat();
  }

  /** The result of the stream. An output that is not shown in full is spilled, even if only its escapes made it too long. */
  async finish(): Promise<RunStream> {
    const { name, keep, fit, snap } = this.#options;
    const excerpt = outputExcerpt(this.#ends, keep, fit, snap);
    const binary = this.#isBinary();
    const truncated = excerpt.cutBy !== undefined;
    if (truncated || binary) this.#spill ??= this.#beginSpill();
    const spill = await this.#spill?.finish().catch((error: unknown) => this.#giveUp(error));
    const unkept = truncated || binary ? this.#unkept : undefined;
    return {
      name,
      excerpt,
      bytes: this.#ends.bytes,
      lines: this.#ends.lines,
      truncated,
      binary,
      ...(spill && { spill }),
      ...(unkept && { unkept: { code: unkept.code, message: unkept.message } }),
    };
  }

  #isOverWith(chunk: Uint8Array): boolean {
    const { limits } = this.#options.fit;
    return this.#ends.bytes + chunk.length > limits.bytes || this.#ends.newlines > limits.lines;
  }

  /** Begins a spill. All output so far is still in memory, because it was below the limit. */
  #beginSpill(): SpillSink | undefined {
    if (this.#unkept) return undefined;
    try {
      const spill = this.#options.spills.create();
      void spill.write(this.#ends.tail().bytes);
      return spill;
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  /** Records why the output cannot be kept, such as a full or read-only disk. The command continues. */
  #giveUp(error: unknown): undefined {
    if (!isOrielError(error)) throw error;
    this.#unkept = error;
    return undefined;
  }

  #isBinary(): boolean {
    const sample =
      this.#options.keep === 'head' ? this.#ends.head.subarray(0, SAMPLE) : this.#ends.tail(SAMPLE).bytes;
    return looksBinary(sample, decode(sample, utf8).invalid);
  }
}
