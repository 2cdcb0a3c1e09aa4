/** One search's ripgrep processes: what they are all told, and what is made of how they ended. */

import { type RipgrepInput, type RipgrepOutcome, RipgrepRun } from '../../access/ripgrep.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { CountRequest, SearchRequest } from '../../types/request.ts';
import { type GapsOnTheWay, GapsSeen } from '../walk/gaps.ts';
import { lookUntil } from '../walk/time.ts';
import { badRegex, checkPattern } from './bad-regex.ts';
import { GivenOutput } from './given-output.ts';
import { needleOf } from './needle.ts';

/** Bytes of a compiled pattern, and of what each thread derives from it: together they must fit into its memory. */
const REGEX_BYTES = 32 << 20;
const CACHE_BYTES = 8 << 20;

/** What of a text ripgrep is to tell beside its matches. */
interface Scope {
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  /** Whether one match of a file tells enough. */
  readonly firstOnly?: boolean;
}

/** What `--crlf` means, where lines are not what ripgrep searches. */
const CRLF = '(?R)';

export class Search {
  readonly gaps = new GapsSeen();
  readonly request: SearchRequest | CountRequest;
  readonly scope: Scope;
  /** By `performance.now()`: when looking ends. */
  readonly deadline: number;
  /** What each match contains. */
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

  /** Whether the pattern means itself: then it cannot be wrong. */
  get isPlain(): boolean {
    return this.needle === this.request.pattern;
  }

  /**
   * Notes what was left out on the way through a stretch: all of it, or what is before the place at which the page
   * ended. Tells whether to continue.
   */
  goesOn({ gaps }: { readonly gaps: GapsOnTheWay }, end: number | undefined): boolean {
    this.gaps.add(gaps.upTo(end ?? Number.POSITIVE_INFINITY));
    return end === undefined && !this.gaps.timedOut && !this.gaps.broken;
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
   * The output of a run over an open file. Its pages are mapped, which halves the time and holds the longest line without
   * memory. Where one of them goes away meanwhile, since the file is cut, it is run again over what is read, and continues
   * after the bytes that were already given. Of a file with other lines now nothing more is given, and that is noted.
   */
  async *overFile(flags: readonly string[], fd: number, path: string): AsyncGenerator<Buffer, void> {
    const mapped = this.run([...flags, '--mmap'], { is: 'file', fd, path });
    const given = new GivenOutput();
    for await (const chunk of mapped) {
      given.add(chunk);
      yield chunk;
    }
    if (!mapped.outcome?.unmapped) return this.judge(mapped.outcome);
    const read = this.run([...flags, '--no-mmap'], { is: 'file', fd, path });
    for await (const chunk of read) {
      const fresh = given.behind(chunk);
      if (fresh === undefined) break;
      if (fresh.length > 0) yield fresh;
    }
    const { outcome } = read;
    const failed = outcome !== undefined && outcome.code !== 0 && outcome.code !== 1;
    if (given.isRepeated || failed) this.judge(outcome);
    else this.gaps.changed += 1;
  }

  /** Notes what an answer will not cover. Throws what makes an answer impossible. */
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
    // `$` matches before the \r of a CRLF.
    ...(multiline ? [`--regexp=${literal ? '' : CRLF}${pattern}`] : [`--regexp=${pattern}`, '--crlf']),
    literal ? '--fixed-strings' : '--engine=default',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(word ? ['--word-regexp'] : []),
    `--regex-size-limit=${REGEX_BYTES}`,
    `--dfa-size-limit=${CACHE_BYTES}`,
  ];
}
