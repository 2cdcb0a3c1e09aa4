/** Folds the noise of a command's output: each run of equal lines, or of lines that report steps, is shown once with its count. */

import { decode, utf8 } from './encoding.ts';
import { terminalText } from './terminal.ts';

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

/** `equal`: also up to the digits of a counter. */
export type FoldedLines = 'equal' | 'equal and steps';

/** A run is folded if its other lines have more bytes than this: about what the sentence below it takes. */
const MIN_FOLDED_BYTES = 80;

/** Fewer lines that report steps are shown. */
const MIN_FOLDED_STEPS = 4;

/** So many lines are looked at, which takes about 60 ms of one core; those before them are on the next page. */
export const MAX_COMPARED_LINES = 20_000;

/** In a longer line no counter and no step is looked for; in one that is redrawn, in its last state. */
const MAX_COUNTER_BYTES = 300;
const MAX_REDRAWN_BYTES = 32 << 10;

/**
 * Yields the last `MAX_COMPARED_LINES` lines, each run of equal ones as one. `lines` come from the last to the first.
 */
export function* foldedRuns(lines: Iterable<StoredLine>, folds: FoldedLines): Generator<StoredLine> {
  let run: NoiseRun | undefined;
  let compared = 0;
  for (const line of lines) {
    compared += 1;
    if (compared > MAX_COMPARED_LINES) break;
    if (run?.takes(line)) continue;
    if (run) yield* run.shown();
    run = new NoiseRun(line, folds === 'equal and steps');
  }
  if (run) yield* run.shown();
}

class NoiseRun {
  readonly #last: StoredLine;
  readonly #steps: boolean;
  /** The other lines while they are too few to be folded. */
  readonly #others: StoredLine[] = [];
  /** A blank line above a step, which is of the run if a step is above it. */
  #blank: StoredLine | undefined;
  #start: number;
  #count = 1;
  #shape: string | undefined;
  #isOfSteps = false;

  constructor(last: StoredLine, steps: boolean) {
    this.#last = last;
    this.#steps = steps;
    this.#start = last.start;
  }

  get #isFolded(): boolean {
    return (
      this.#last.start - this.#start > MIN_FOLDED_BYTES &&
      (!this.#isOfSteps || this.#count >= MIN_FOLDED_STEPS)
    );
  }

  takes(line: StoredLine): boolean {
    if (!line.whole || !this.#last.whole) return false;
    const isEqual = Buffer.compare(line.bytes, this.#last.bytes) === 0;
    if (!isEqual) {
      this.#shape ??= noiseShape(this.#last.bytes, this.#steps);
      if (this.#shape === STEP && !this.#blank && isBlank(line.bytes)) {
        this.#blank = line;
        return true;
      }
      if (this.#shape === '' || this.#shape !== noiseShape(line.bytes, this.#steps)) return false;
      this.#isOfSteps ||= this.#shape === STEP;
    }
    const taken = this.#blank ? [this.#blank, line] : [line];
    this.#blank = undefined;
    if (!this.#isFolded) this.#others.push(...taken);
    this.#start = line.start;
    this.#count += taken.length;
    return true;
  }

  *shown(): Generator<StoredLine> {
    if (this.#isFolded) yield { ...this.#last, start: this.#start, folded: this.#count };
    else yield* [this.#last, ...this.#others];
    if (this.#blank) yield this.#blank;
  }
}

/** Lines with such a word are folded only if they are equal to the letter. */
const PROBLEM = new RegExp(
  [
    'err|warn|fail|fatal|panic|exception|traceback|critical|denied|refused|abort|cannot|unable|deprecat',
    "missing|undefined|assert|conflict|reject|vulnerab|crash|core dumped|corrupt|mismatch|violation|illegal|can't",
    'invalid|unexpected|unreachable|unavailable|unsupported|unresolved|forbidden|unauthorized|deadlock',
    String.raw`unknown\s|timed?[ -]?out|no such|no space|disk full|out of memory|\bkill|\b(?:seg)?fault\b`,
    String.raw`\b(?:not|oom|bad|broken|wrong|lost|stopped|terminated|reset|overflow|leaks?|hung|flaky)\b|\b[A-Z]+!`,
    String.raw`\bexit(?:ed)? (?:.* )?-?[1-9]|\bcode:? (?:[1-9]|E[A-Z])|(?:^|[\s:(])[45]\d\d\s+[A-Z][a-z]`,
    String.raw`\bsignal:? \d|\bsig(?:abrt|bus|fpe|hup|ill|int|kill|pipe|segv|term|trap)\b|duplicate|\bproblem|\bretry\b`,
    // What a check did not find, what was left out with a reason, and what is measured of each package.
    String.raw`(?:\.\.\.|:)(?: \(cached\))? no$|# (?:skip|todo)\b|\bcoverage: `,
    String.raw`[\u2717\u2718\u00d7\u2716\u26a0\u274c]|(?:^|\s)[.sxX]*[FE][.sxXFE]*(?=\s|$)`,
  ].join('|'),
  'i',
);
const NO_PROBLEM =
  /\b(?:0|no) (?:errors?|warnings?|failed|failures?)\b|\berrors?[:=]? 0\b|output file '[^']*' does not exist$/gi;

/** What tools write when one step of a build, an installation, a test run or a transfer went well. */
const STEPS = new RegExp(
  [
    // npm, pnpm, pip, apt, Ruby's bundler, Maven and Gradle
    String.raw`^npm (?:http (?:fetch [A-Z]+ [23]\d\d |cache )|silly |verbose |timing |info )|^Progress: resolved \d+, `,
    String.raw`^\s*(?:Collecting|Obtaining|Processing|Installing build dependencies|Getting requirements) .*(?:[=<>~!]=|\.whl|\.tar\.gz|: \w+|from \S+\))`,
    String.raw`^Collecting [\w.[\]-]+$|^Requirement already satisfied: |^\s+(?:Using cached|Downloading) \S+ \([\d.]+ [kMG]?B\)`,
    String.raw`^\s*(?:Preparing metadata|Building wheel for|Created wheel for|Stored in directory:|Attempting uninstall:|Found existing installation:|Uninstalling|Successfully uninstalled) `,
    String.raw`^\s+[\u2501\u2578\u257a]+ +[\d.]+/[\d.]+ [kMG]?B|^(?:Get|Hit|Ign):\d+ |^\(Reading database `,
    String.raw`^(?:Selecting previously unselected package .*\.|(?:Preparing to unpack|Unpacking|Setting up|Processing triggers for) .*\.\.\.)$`,
    String.raw`^(?:Fetching|Installing|Using) [\w.-]+ v?\d+\.\d[\w.-]*$|^(?:\[INFO\] )?Download(?:ing|ed)(?: from [\w.-]+)?: http|^> Task :\S+(?: UP-TO-DATE| FROM-CACHE| NO-SOURCE)?$`,
    // cargo, make, ninja, cmake and configure, tsc
    String.raw`^ {2,}(?:Compiling|Checking|Fresh|Downloaded|Adding|Unpacking|Documenting|Vendoring) \S+ v\d|^ {2,}Downloading (?:\d+ )?crates`,
    String.raw`^ {2}(?:CC|CXX|LD|AR|AS|GEN|INSTALL|CCLD) +\S+|^\[ *\d+(?:%|/\d+)\] (?:Building|Compiling|Linking|Generating|Built|Copying|Creating|Installing|Running|Automatic|CC|CXX|Scanning)\b`,
    String.raw`^-- (?:Installing|Up-to-date|Looking for|Performing Test|Found|Check for|Detecting) ?.*|^checking (?:for|whether|how|if) .*\.\.\. `,
    String.raw`^\[?\d\d?:\d\d:\d\d(?: [AP]M)?\]? (?:- )?(?:Project '|Building project '|Updating |File change detected|Starting |Found )`,
    // pytest, cargo, go, jest and other runners, TAP
    String.raw`\s(?:PASSED|SKIPPED)(?: +\[ *\d+%\])?$|^(?:\S+ )?[.s]+ +\[ *\d+%\]$|^test .* \.\.\. (?:ok|ignored)$|^\s*(?:=== (?:RUN|PAUSE|CONT) |--- PASS: )`,
    String.raw`^ok +\t\S+\t|^\?   +\t|^PASS \S|^\s*[\u2713\u2714\u221a] |^\s*ok \d+ `,
    // git and docker
    String.raw`^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Checking out|Updating|Filtering) [a-z]+: +\d+% \(|^remote: Enumerating objects: \d+`,
    String.raw`^ [*+] \[new (?:branch|tag|ref)\] |^ (?:create|delete) mode \d{6} `,
    String.raw`^[\da-f]{12}: (?:Pulling fs layer|Waiting|Downloading|Verifying Checksum|Download complete|Extracting|Pull complete|Already exists|Preparing|Push|Mounted from|Layer already exists)`,
    String.raw`^#\d+ (?:sha256:[\da-f]+ |transferring |extracting |resolve |exporting |writing |naming |preparing |sending |unpacking |pushing |importing |CACHED$|DONE |\[internal\])`,
  ].join('|'),
);
/** Stands for all steps. */
const STEP = '\0';
/** Before what a step of a build of an image writes. */
const BUILDKIT = /^#\d+ \d+\.\d+ /;

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
  if (/^0\d/.test(done) || /^(?:19|20)\d\d$/.test(total)) return false;
  return !isSameUnit || Number(done.replace(',', '.')) <= Number(total.replace(',', '.'));
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.length <= 2 && (bytes[0] === 10 || bytes[0] === 13);
}

/** The line without the digits of its counters, or `STEP`; empty if it has none, or reports a problem. */
function noiseShape(bytes: Uint8Array, steps: boolean): string {
  if (bytes.length > MAX_REDRAWN_BYTES) return '';
  const text = terminalText(decode(bytes, utf8).text).trimEnd();
  if (text.length > MAX_COUNTER_BYTES || PROBLEM.test(text.replace(NO_PROBLEM, ''))) return '';
  if (steps && STEPS.test(text.replace(BUILDKIT, ''))) return STEP;
  const shape = text
    .replace(PERCENTAGE, '%')
    .replace(PART, (all, done: string, unit: string | undefined, of: string, total: string, units?: string) =>
      isPart(done, total, unit === units) ? `N${of}${total}${units ?? ''}` : all,
    )
    .replace(TIME_LEFT[0], '$1$2')
    .replace(TIME_LEFT[1], '');
  return shape === text ? '' : shape;
}

/** The tools that look for something in files: of what they find, no step is noise. */
const SEARCHES =
  /(?:^|[\s;&|(/])(?:[efz]?grep|rg|ag|awk|sed|find|fd|ls|tree|jq|yq|diff|nl|bat|git\s+(?:-\S+\s+(?:[^\s-]\S*\s+)?){0,4}(?:diff|show|log|blame|grep|cat-file|ls-files|stash show))\s/;

/** What is folded of the output of this command. */
export function foldedLines(command: string): FoldedLines {
  return SEARCHES.test(`${command} `) ? 'equal' : 'equal and steps';
}
