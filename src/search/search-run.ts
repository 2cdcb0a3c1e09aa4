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
import { badRegex, checkPattern, needleOf, overLineBreaks } from './pattern.ts';

/** The most bytes of a compiled pattern, and of its lazy DFA in each thread; together they must fit ripgrep's memory limit. */
const REGEX_BYTES = 32 << 20;
const CACHE_BYTES = 8 << 20;

/** Which lines besides the matches ripgrep reports. */
interface Scope {
  /** Context lines around each match. */
  readonly before: number;
  readonly after: number;
  /** Whether one match per file is enough. */
  readonly firstOnly?: boolean | undefined;
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

  /** Whether every match is ASCII. */
  get isAscii(): boolean {
    const { pattern, literal } = this.request;
    if (/[^\0-\x7f]/.test(pattern)) return false;
    return literal === true || !/[.\\]|\[:?\^/.test(pattern.replaceAll(/\\[^a-zA-Z]|\\[abnrtAz]/g, ''));
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
   * lines. If a mapped page disappears because the file was truncated, the output ends with a gap.
   */
  async *overFile(flags: readonly string[], fd: number): AsyncGenerator<Buffer, void> {
    const run = this.run([...flags, '--mmap'], { kind: 'file', fd });
    yield* run;
    if (run.outcome?.unmapped) this.gaps.changed += 1;
    else this.judge(run.outcome);
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
  const { pattern, ignoreCase, word, multiline } = request;
  const literal = request.literal && !(multiline && pattern.includes('\n'));
  const regex = multiline && !literal ? CRLF + overLineBreaks(pattern, request.literal) : pattern;
  return [
    // With these options `$` matches before the \r of a CRLF.
    `--regexp=${regex}`,
    ...(multiline ? [] : ['--crlf']),
    literal ? '--fixed-strings' : '--engine=default',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(word ? ['--word-regexp'] : []),
    `--regex-size-limit=${REGEX_BYTES}`,
    `--dfa-size-limit=${CACHE_BYTES}`,
  ];
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
  if (error.code === 'PRIVATE') gaps.pass('private');
  if (UNREAD.has(error.code)) gaps.leaveUnread(name);
  gaps.full ||= isDiskFull(error);
  gaps.denied ||= error.code === 'DENIED';
}
