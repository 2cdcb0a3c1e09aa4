/** The common options of all ripgrep processes of a search, and the handling of their outcomes. */

import { type RipgrepInput, type RipgrepOutcome, RipgrepRun } from '../../access/ripgrep.ts';
import { mayPass } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { CountRequest, SearchRequest } from '../../types/request.ts';
import { type GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import { lookUntil } from '../walk/step-deadlines.ts';
import { badRegex, checkPattern } from './bad-regex.ts';
import { ResumedOutput } from './resumed-output.ts';
import { needleOf } from './needle.ts';

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

export class Search {
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
