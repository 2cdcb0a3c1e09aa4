/** Owns one search's ripgrep processes: what they are all told, and what is made of how they ended. */

import { type RipgrepJob, type RipgrepOutcome, RipgrepRun } from '../../access/ripgrep.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { SearchRequest } from '../../types/request.ts';
import type { Automaton } from '../../walk/automaton.ts';
import { GapsSeen } from '../walk/gaps.ts';
import { lookUntil } from '../walk/time.ts';
import { badRegex } from './bad-regex.ts';

/** Bytes of a compiled pattern, and of what each thread derives from it: together they must fit into its memory. */
const REGEX_BYTES = 32 << 20;
const CACHE_BYTES = 8 << 20;

export class Search {
  readonly gaps = new GapsSeen();
  readonly glob: Automaton | undefined;
  /** Lines shown around each match. */
  readonly context: number;
  readonly #request: SearchRequest;
  readonly #call: Call;
  readonly #flags: readonly string[];
  readonly #cwd: string;

  /** `walk` are the flags for which files are seen; `cwd` is a real directory, the base of all operands. */
  constructor(request: SearchRequest, call: Call, cwd: string, walk: readonly string[], glob?: Automaton) {
    this.#request = request;
    this.#call = call;
    this.#cwd = cwd;
    this.glob = glob;
    this.context = request.context;
    this.#flags = [...walk, ...patternFlags(request)];
  }

  job(flags: readonly string[], operands: readonly string[], input?: RipgrepJob['input']): RipgrepJob {
    return {
      cwd: this.#cwd,
      flags: [...this.#flags, ...flags],
      operands,
      deadline: lookUntil(this.#call.deadline),
      signal: this.#call.signal,
      ...(input && { input }),
    };
  }

  /**
   * The output of a run that always says the same in the same order. When a line was too large for its memory, it
   * is run again over mapped files and goes on behind the bytes that were already given.
   */
  async *steadily(flags: readonly string[], operands: readonly string[]): AsyncGenerator<Buffer, void> {
    let given = 0;
    for (const memory of ['--no-mmap', '--mmap']) {
      const run = new RipgrepRun(this.job([...flags, memory], operands));
      let skip = given;
      for await (const chunk of run) {
        const fresh = chunk.subarray(Math.min(skip, chunk.length));
        skip -= chunk.length - fresh.length;
        given += fresh.length;
        if (fresh.length > 0) yield fresh;
      }
      if (run.outcome?.outOfMemory && memory === '--no-mmap') continue;
      this.judge(run.outcome);
      return;
    }
  }

  /** Notes what an answer will not cover. Throws what makes an answer impossible. */
  judge(outcome: RipgrepOutcome | undefined): void {
    if (!outcome) return;
    this.gaps.note(outcome);
    if (outcome.outOfMemory) {
      throw new OrielError('LIMIT', 'A line or the pattern is too large to be searched in bounded memory.');
    }
    if (outcome.code !== 2) return;
    const regex = badRegex(outcome.stderr, this.#request.pattern);
    if (regex) throw regex;
    const fatal = outcome.stderr.split('\n').find((line) => line !== '' && !/\(os error \d+\)$/.test(line));
    if (fatal?.startsWith('rg: error') || fatal?.startsWith('error:')) {
      throw new OrielError('INTERNAL', `ripgrep failed: ${quote(fatal)}.`);
    }
  }
}

function patternFlags({ pattern, literal, ignoreCase }: SearchRequest): string[] {
  return [
    `--regexp=${pattern}`,
    literal ? '--fixed-strings' : '--engine=default',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    // `$` matches before the \r of a CRLF.
    '--crlf',
    `--regex-size-limit=${REGEX_BYTES}`,
    `--dfa-size-limit=${CACHE_BYTES}`,
  ];
}
