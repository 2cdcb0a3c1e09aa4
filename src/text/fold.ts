/** Folds runs of equal lines of a command's output: each is shown once, with its count and the call for all of them. */

import { decode, utf8 } from './encoding.ts';

/** A line of the captured bytes, or a run of lines that is shown as its last one. */
export interface StoredLine {
  /** The line that is shown, its terminator included. */
  readonly bytes: Uint8Array;
  /** Offset (0-based) of the first byte of the line or of the run. */
  readonly start: number;
  readonly end: number;
  /** Whether its beginning and its end are within the captured and requested bytes. */
  readonly whole: boolean;
  /** Lines of a folded run. */
  readonly folded?: number | undefined;
}

/** A run is folded if its other lines have more bytes than this: about what the sentence below it takes. */
const MIN_FOLDED_BYTES = 80;

/** So many lines are looked at, which takes 30 ms of one core at most; those before them are on the next page. */
export const MAX_COMPARED_LINES = 20_000;

/** In a longer line no counter is looked for. */
const MAX_COUNTER_BYTES = 200;

/** Yields the last `MAX_COMPARED_LINES` lines, each run of equal ones as one. `lines` come from the last to the first. */
export function* foldedRuns(lines: Iterable<StoredLine>): Generator<StoredLine> {
  let run: EqualRun | undefined;
  let compared = 0;
  for (const line of lines) {
    compared += 1;
    if (compared > MAX_COMPARED_LINES) break;
    if (run?.takes(line)) continue;
    if (run) yield* run.shown();
    run = new EqualRun(line);
  }
  if (run) yield* run.shown();
}

class EqualRun {
  readonly #last: StoredLine;
  /** The other lines while they are too few to be folded. */
  readonly #others: StoredLine[] = [];
  #start: number;
  #count = 1;
  #shape: string | undefined;

  constructor(last: StoredLine) {
    this.#last = last;
    this.#start = last.start;
  }

  get #isFolded(): boolean {
    return this.#last.start - this.#start > MIN_FOLDED_BYTES;
  }

  takes(line: StoredLine): boolean {
    if (!line.whole || !this.#last.whole) return false;
    if (Buffer.compare(line.bytes, this.#last.bytes) !== 0 && !this.#isSameCounter(line)) return false;
    if (!this.#isFolded) this.#others.push(line);
    this.#start = line.start;
    this.#count += 1;
    return true;
  }

  #isSameCounter({ bytes }: StoredLine): boolean {
    this.#shape ??= counterShape(this.#last.bytes) ?? '';
    return this.#shape !== '' && this.#shape === counterShape(bytes);
  }

  *shown(): Generator<StoredLine> {
    if (this.#isFolded) yield { ...this.#last, start: this.#start, folded: this.#count };
    else yield* [this.#last, ...this.#others];
  }
}

/** Lines with such a word are folded only if they are equal to the letter. */
const PROBLEM = /err|warn|fail|fatal|panic|exception|traceback|critical|denied|refused|abort|not ok|[✗✘×]/i;

// Each digit is looked at a bounded number of times: numbers begin where no number or word is before them, and are short.
const NUMBER = String.raw`\d{1,15}(?:[.,]\d{1,15})?`;
const BEGINS = String.raw`(?<![\w.,/:-])`;
const TIME = String.raw`(?:\d{1,9}(?::\d\d){1,3}|(?:${NUMBER} ?(?:h|m|min|s|sec|hours?|minutes?|seconds?)(?![a-z]) ?){1,4})`;

/** `12.5 %`. */
const PERCENTAGE = new RegExp(String.raw`${BEGINS}${NUMBER} ?%`, 'g');
/** `3/10`, `3 of 10`, `1.2 MB / 3 MB`. */
const PART = new RegExp(
  String.raw`${BEGINS}(${NUMBER})( ?[kKMGT]?i?B)?( ?(?:/|of) ?)(${NUMBER})( ?[kKMGT]?i?B)?(?![\w/:-]|[.,]\d)`,
  'g',
);
/** `eta 0:12`, `12s left`. */
const TIME_LEFT = [
  new RegExp(String.raw`\b(eta|remaining|left)(:? ?)${TIME}`, 'gi'),
  new RegExp(String.raw`${BEGINS}${TIME}(?= ?(?:left|remaining)\b)`, 'gi'),
] as const;

/** Not `12/11`, `01/24` or `3/2024`, which are dates or names. */
function isPart(done: string, total: string, isSameUnit: boolean): boolean {
  if (/^0\d|^(?:19|20)\d\d$/.test(done) || /^(?:19|20)\d\d$/.test(total)) return false;
  return !isSameUnit || Number(done.replace(',', '.')) <= Number(total.replace(',', '.'));
}

/** The line without the digits of its counters; undefined if it has none, or reports a problem. */
function counterShape(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_COUNTER_BYTES) return undefined;
  const { text } = decode(bytes, utf8);
  if (PROBLEM.test(text)) return undefined;
  const shape = text
    .replace(PERCENTAGE, '%')
    .replace(PART, (all, done: string, unit: string | undefined, of: string, total: string, units?: string) =>
      isPart(done, total, unit === units) ? `N${of}${total}${units ?? ''}` : all,
    )
    .replace(TIME_LEFT[0], '$1$2')
    .replace(TIME_LEFT[1], '');
  return shape === text ? undefined : shape;
}
