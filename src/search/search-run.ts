/** The common options of all ripgrep processes of a search, and the handling of their outcomes. */

import { type ErrorCode, isOrielError, OrielError } from '../errors.ts';
import { isDiskFull, isFault, mayPass } from '../files/system-failure.ts';
import { type RipgrepInput, type RipgrepOutcome, RipgrepRun } from '../process/ripgrep.ts';
import { callerOf, registerCaller } from '../queues/caller.ts';
import { readAt } from '../text/bytes.ts';
import { quote } from '../text/visible.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import { lookUntil } from '../walk/collect-walk.ts';
import { type GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import { badRegex, checkPattern, needleOf } from './pattern.ts';

/** The most bytes of a compiled pattern, and of its lazy DFA in each thread; together they must fit ripgrep's memory limit. */
const REGEX_BYTES = 32 << 20;
const CACHE_BYTES = 8 << 20;

/** Which lines besides the matches ripgrep reports. */
interface Scope {
  /** Context lines around each match. */
  readonly before: number;
  readonly after: number;
  /** Whether one match per file is enough. */
  readonly firstOnly?: boolean;
}

/** The inline flag for `--crlf`, which has no effect when ripgrep searches NUL-terminated records instead of lines. */
const CRLF = '(?R)';

export class SearchRun {
  readonly gaps = new GapsSeen();
  readonly request: SearchRequest | CountRequest;
  readonly scope: Scope;
  /** When the search stops, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** The literal that every match contains, if one is known. */
  readonly needle: string | undefined;
  readonly #call: Call;

  constructor(request: SearchRequest | CountRequest, call: Call, scope: Scope) {
    checkPattern(request.pattern, request.multiline);
    this.request = request;
    this.scope = scope;
    this.#call = call;
    this.deadline = lookUntil(call.deadline);
    this.needle = needleOf(request.pattern, request);
  }

  /** Whether the pattern is a literal, which is always valid. */
  get isPlain(): boolean {
    return this.needle === this.request.pattern;
  }

  /**
   * Records the gaps of an input: all of them, or only those before position `end`, where the page was full. Returns whether
   * the search continues.
   */
  goesOn({ gaps }: { readonly gaps: GapsOnTheWay }, end: number | undefined): boolean {
    this.gaps.add(gaps.upTo(end ?? Number.POSITIVE_INFINITY));
    return end === undefined && !this.gaps.timedOut && !this.gaps.broken;
  }

  /** Records a failure of the machine, after which the search is incomplete. */
  breakOff(fault: unknown): void {
    this.gaps.short ||= mayPass(fault);
    this.gaps.broken = true;
  }

  run(flags: readonly string[], input: RipgrepInput): RipgrepRun {
    const { signal } = this.#call;
    return new RipgrepRun({
      flags: [...patternFlags(this.request), ...flags],
      input,
      deadline: this.deadline,
      signal,
    });
  }

  /**
   * The output of a run over an open file. The file is memory-mapped, which halves the time and needs no memory for oversized
   * lines. If a mapped page disappears because the file was truncated, ripgrep runs again without mmap, and the output
   * continues after the bytes that were already passed on. If the lines have changed, the output ends with a gap.
   */
  async *overFile(flags: readonly string[], fd: number): AsyncGenerator<Buffer, void> {
    const mapped = this.run([...flags, '--mmap'], { is: 'file', fd });
    const resumed = new ResumedOutput();
    for await (const chunk of mapped) {
      resumed.add(chunk);
      yield chunk;
    }
    if (!mapped.outcome?.unmapped) return this.judge(mapped.outcome);
    const read = this.run([...flags, '--no-mmap'], { is: 'file', fd });
    for await (const chunk of read) {
      const fresh = resumed.newPart(chunk);
      if (fresh === undefined) break;
      if (fresh.length > 0) yield fresh;
    }
    const { outcome } = read;
    const failed = outcome !== undefined && outcome.code !== 0 && outcome.code !== 1;
    if (resumed.isRepeated || failed) this.judge(outcome);
    else this.gaps.changed += 1;
  }

  /** Records the gaps of a run's outcome. Throws errors that make an answer impossible. */
  judge(outcome: RipgrepOutcome | undefined): void {
    if (!outcome) return;
    this.gaps.timedOut ||= outcome.timedOut;
    this.gaps.broken ||= outcome.broken;
    if (outcome.outOfMemory) {
      throw new OrielError('LIMIT', 'A line or the pattern is too large to be searched in bounded memory.');
    }
    if (outcome.code !== 2) return;
    const { pattern, multiline, literal } = this.request;
    const regex = badRegex(outcome.stderr, pattern, {
      multiline,
      lead: multiline && !literal ? CRLF.length : 0,
    });
    if (regex) throw regex;
    const [said = ''] = outcome.stderr.split('\n');
    throw new OrielError('INTERNAL', `ripgrep failed: ${quote(said)}.`);
  }
}

function patternFlags(request: SearchRequest | CountRequest): string[] {
  const { pattern, literal, ignoreCase, word, multiline } = request;
  return [
    // With these options `$` matches before the \r of a CRLF.
    ...(multiline ? [`--regexp=${literal ? '' : CRLF}${pattern}`] : [`--regexp=${pattern}`, '--crlf']),
    literal ? '--fixed-strings' : '--engine=default',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(word ? ['--word-regexp'] : []),
    `--regex-size-limit=${REGEX_BYTES}`,
    `--dfa-size-limit=${CACHE_BYTES}`,
  ];
}

// Continues the output of a ripgrep run that ended early with a second run over the same file: checks that the second
// output begins like the first, and skips that part.

/**
 * Bytes at the end of the first output that are compared. A few addresses are enough to detect a changed file, because
 * they count lines and bytes from its beginning.
 */
const COMPARED = 4 << 10;

class ResumedOutput {
  #bytes = 0;
  #end: Buffer = Buffer.alloc(0);
  /** Bytes that the second run has given so far. */
  #again = 0;
  #equal = true;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#end =
      chunk.length >= COMPARED
        ? chunk.subarray(-COMPARED)
        : Buffer.concat([this.#end, chunk]).subarray(-COMPARED);
  }

  /** The part of the second run's next chunk that is new; undefined if the outputs differ. */
  newPart(chunk: Buffer): Buffer | undefined {
    const start = this.#bytes - this.#end.length;
    const [from, to] = [Math.max(this.#again, start), Math.min(this.#again + chunk.length, this.#bytes)];
    if (from < to) {
      const again = chunk.subarray(from - this.#again, to - this.#again);
      this.#equal &&= again.equals(this.#end.subarray(from - start, to - start));
    }
    const fresh = chunk.subarray(Math.max(0, Math.min(chunk.length, this.#bytes - this.#again)));
    this.#again += chunk.length;
    return this.#equal ? fresh : undefined;
  }

  /** Whether the second run has repeated the complete output of the first. */
  get isRepeated(): boolean {
    return this.#equal && this.#again >= this.#bytes;
  }
}

// Checks before a ripgrep process is started for a text inside a container: can it match, and is there time left?

/** Whether the deadline of the search has passed; if so, it is recorded as a gap. */
export function isSearchLate(search: SearchRun): boolean {
  const late = performance.now() > search.deadline;
  search.gaps.timedOut ||= late;
  return late;
}

/** Texts of up to this many bytes are searched for the needle before a process is started. */
const LOOKED_THROUGH = 1 << 20;

/** The first read of a text of unknown size, such as a packed member: most are shorter. */
const INITIAL_MEMBER_READ_BYTES = 64 << 10;

/**
 * Whether the text may contain the needle (the literal that every match contains). True for texts that are not UTF-8,
 * because they contain it in other bytes and ripgrep must decode them, and for texts that cannot be read: the search
 * reports why.
 */
export async function mayMatch(
  bytes: ByteSource,
  { unit, legacy }: TextEncoding,
  { needle }: SearchRun,
  signal: AbortSignal,
): Promise<boolean> {
  if (unit !== 1 || legacy || needle === undefined) return true;
  const content = await wholeOf(bytes, signal).catch(() => undefined);
  return content?.includes(needle) ?? true;
}

/** The bytes of a text; undefined if there are more than `LOOKED_THROUGH`. */
async function wholeOf(bytes: ByteSource, signal: AbortSignal): Promise<Buffer | undefined> {
  const { size } = bytes;
  if (size !== undefined && size > LOOKED_THROUGH) return undefined;
  for (const most of size === undefined ? [INITIAL_MEMBER_READ_BYTES, LOOKED_THROUGH + 1] : [size + 1]) {
    const read = await readAt(bytes, 0, most, signal);
    if (read.length < most) return Buffer.from(read.buffer, read.byteOffset, read.length);
  }
  return undefined;
}

// Limits a call to the deadline of a search, so that an unfinished open is abandoned and found matches are shown.

/** The same call, with a signal that also aborts at the deadline of the search. */
export function untilDeadline(call: Call, { deadline }: SearchRun): Call {
  const left = deadline - performance.now();
  if (!Number.isFinite(left)) return call;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('the deadline of the search has passed')),
    Math.max(0, left),
  );
  call.onEnd(() => clearTimeout(timer));
  const signal = AbortSignal.any([call.signal, late.signal]);
  registerCaller(callerOf(call.signal), signal);
  return call.part({ signal, deadline }).call;
}

// Which errors of a part of a search make it incomplete, and which end it.

/** Errors that are recorded as gaps. A file that is gone or is not a text is not a gap. */
const UNREAD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BUSY',
  'CORRUPT',
  'ENCRYPTED',
  'LIMIT',
  'TIMEOUT',
  'UNSUPPORTED',
]);

/**
 * Records a part that cannot be searched because of its content; `name` is the shown name. Rethrows errors that end the
 * call, and failures of the machine.
 */
export function recordGap(
  error: unknown,
  name: string,
  { gaps }: { readonly gaps: GapsSeen },
  { signal }: Call,
): void {
  signal.throwIfAborted();
  if (!isOrielError(error) || isFault(error)) throw error;
  if (UNREAD.has(error.code)) gaps.leaveUnread(name);
  gaps.full ||= isDiskFull(error);
  gaps.denied ||= error.code === 'DENIED';
}
