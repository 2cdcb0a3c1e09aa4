/**
 * Makes the map of a log (of a build, a server, a test run): its first and last lines, of each shape of line how many there
 * are, and the lines that report errors, warnings and failures. Lines have one shape if they are equal up to numbers, times,
 * paths and other names.
 */

import { readAt } from '../../text/bytes.ts';
import type { Notice } from '../../types/answer.ts';
import type { ByteSource } from '../../types/access.ts';
import type { TextEncoding } from '../../types/excerpt.ts';
import type { CodeSummary, LineRange, SummaryPart } from '../../types/result.ts';

/** A text of more bytes is read in part: its beginning, its end and samples between. Of the rest only lines are counted. */
const MAX_SCANNED_BYTES = 64 << 20;
const MAX_LOG_BYTES = 2 ** 30;
const MAX_END_BYTES = 4 << 20;
const MAX_SAMPLES = 64;

const READ_BYTES = 256 << 10;

/** Lines after which a text is given up that does not repeat itself, is one list, or has nothing of a log. */
const TRIED_LINES = 500;
const LIST_LINES = 5_000;
const SURE_LINES = 20_000;

/** A line is compared by its first characters; whether it reports a failure is told from all that are kept. */
const MAX_COMPARED_CHARACTERS = 1_000;
const MAX_KEPT_CHARACTERS = 1 << 20;

/** Shown characters of a line: fewer in a small map, so that it has place for several lines. */
const MAX_LOG_LINE_CHARACTERS = 300;
const MIN_LINES_OF_MAP = 16;

/** More shapes are no log. A shape of at least `MIN_SHAPE_LINES` is one; nine of ten lines have one of few shapes. */
const MAX_SHAPES = 5_000;
const MIN_SHAPE_LINES = 3;
const FEW_SHAPES = 100;
const MIN_SHARE = 0.9;

/** Likenesses of lines that are remembered: of most logs a few hundred. */
const MAX_LIKENESSES = 10_000;

/** Lines at both ends that are always shown. */
const HEAD_LINES_SHOWN = 5;
const LAST_LINES_SHOWN = 10;

/** Reports that the call for those without a place names. */
const MAX_HIDDEN_LINES = 20;

/** Bytes that a gap takes, with the numbers of its lines. */
const GAP_BYTES = 24;

/**
 * A part of a line between white space and punctuation that has a digit or a mark. All patterns for lines take linear time: a
 * part is only tried at its beginning.
 */
const TOKEN = /(?<![^\s"'`,;:=()[\]{}<>|])[^\s"'`,;:=()[\]{}<>|\d/\\_.-]*[\d/\\_.-][^\s"'`,;:=()[\]{}<>|]*/g;

/** Marks are read as one byte a character: ✕ ✖ ✗ ✘ ❌ ⚠ and, between spaces, ×. */
const REPORT =
  /error|\beror\b|\berr(?:\b|_)|exception|fail|fatal|panic|warn|traceback|critical|\bcrit\b|\bemerg|\[alert\]|\bsevere\b|abort|crash|denied|refused|\btimed out\b|\bkilled\b|seg(?:mentation )?fault|core dumped|unable to|could ?n[o']t|cannot|can't|not found|no such|unhandled|uncaught|unreachable|undefined reference|out of memory|\b5xx\b|^\W*not ok\b|^\W*[EFW](?:[#/]|\s)|\u00e2\u009c[\u0095-\u0098]|\u00e2\u009d\u008c|\u00e2\u009a\u00a0|(?:^|\s)\u00c3\u0097\s/i;
const NO_REPORT =
  /\b(?:0|no|without) (?:errors?|failures?|failed|failing|warnings?)\b|\b(?:(?:errors|failures|failed|warnings|unreachable)["']?\s?[:=]\s?0(?![.\w])|(?:err|error|failure|failed|warning|exception)["']?\s?[:=]\s?(?:0|null|nil|<nil>|none|false|""|\[\]|\{\})(?=\s?(?:$|[,;)\]}|&]|[\w.]+["']?[:=])))/gi;

/** What is before the number of a status, of a level (as pino and bunyan write it) and of an exit. */
const STATUS = /(?:" |status_?(?:code)?["']?[:=] ?|\bHTTP(?:\/\S{1,4})? )$/i;
const NUMBERED_LEVEL = /"level": ?$/;
const EXIT = /\bexit(?:ed)?(?: with|,)?(?: (?:code|status))?[:= ]+$/i;

/**
 * A line that says that something went well, whatever it is called: `✓ throws an error`, `ok 3 - fails early`,
 * `test on_error ... ok`, `error_test.py::test_fail PASSED [ 7%]`; no total, as in `2 failed, 3 passed`.
 */
const SUCCESS =
  /^\W*(?:\u00e2\u009c[\u0093\u0094]|\u00e2\u0088\u009a|(?:ok|pass(?:ed)?)\b(?!:))|\.\.\.+ ?(?:ok|passed)$|(?<!#,? |\d,? )\bpassed\b[\s#()[\]%.]*(?:m?s(?:ec(?:onds?)?)?\b)?[\s#()[\]%.]*$/i;

/** The end of a joined name that says what happened; `error_handler.go` and `test_errors.py` say what it is about. */
const OUTCOME =
  /(?:errors?|err|exception|fail(?:ed|ure)?|fatal|panic|warn(?:ing)?|denied|refused|crash(?:ed)?|abort(?:ed)?|killed)\d*$/i;

const TIME = /\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\d/;
const LEVEL = /\b(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|level|lvl|severity)\b/i;
const STAMP =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?|(?:[A-Z][a-z]{2} +\d{1,2} |\d{4}\/\d\d\/\d\d |\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:)?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?/;

// Terminal escapes, read as one byte a character.
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|.)/g;

export interface LogLine {
  /** 1-based. */
  readonly no: number;
  /** In stored bytes, half-open. */
  readonly start: number;
  readonly end: number;
}

interface LogShape {
  count: number;
  readonly first: LogLine;
  last: LogLine;
  readonly isReport: boolean;
}

export interface LogScan {
  readonly shapes: readonly LogShape[];
  readonly lines: number;
  readonly bytes: number;
  readonly head: readonly LogLine[];
  readonly tail: readonly LogLine[];
  /** Whether only a part of the lines was compared. */
  readonly isSampled: boolean;
}

/** The space of a map, and how its parts are shown. */
export interface LogMapLimits {
  readonly bytes: number;
  readonly lines: number;
  show(part: SummaryPart): string;
}

/** The line as text with its terminator, or the beginning of a long one. */
export type LogLineText = (line: LogLine) => Promise<string>;

class ShapeTable {
  readonly #shapes = new Map<string, LogShape>();
  /** By the likeness of a line its shape, and whether it has a time or a level. */
  readonly #known = new Map<number, { readonly shape: LogShape; readonly isDated: boolean }>();
  /** Lines that are not blank. */
  compared = 0;
  #dated = 0;

  get isFull(): boolean {
    return this.#shapes.size > MAX_SHAPES;
  }

  /** `stored` returns the line; it is only called if no earlier one has its likeness. */
  add(line: LogLine, likeness: number | undefined, stored: () => string): void {
    const known = likeness === undefined ? undefined : this.#known.get(likeness);
    if (!known) return this.#addNew(stored(), line, likeness);
    this.compared += 1;
    if (known.isDated) this.#dated += 1;
    known.shape.count += 1;
    known.shape.last = line;
  }

  #addNew(stored: string, line: LogLine, likeness: number | undefined): void {
    const text = stored.includes('\u001B') ? stored.replace(ESCAPES, '') : stored;
    let key = shapeOf(text.slice(0, MAX_COMPARED_CHARACTERS));
    if (key === '') return;
    // A word may begin in the compared part.
    if (text.length > MAX_COMPARED_CHARACTERS && reports(text.slice(MAX_COMPARED_CHARACTERS - 20)))
      key += ' error';
    this.compared += 1;
    const isDated = TIME.test(text) || LEVEL.test(key);
    if (isDated) this.#dated += 1;
    let shape = this.#shapes.get(key);
    if (shape) {
      shape.count += 1;
      shape.last = line;
    } else this.#shapes.set(key, (shape = { count: 1, first: line, last: line, isReport: reports(key) }));
    if (likeness !== undefined && this.#known.size < MAX_LIKENESSES)
      this.#known.set(likeness, { shape, isDated });
  }

  /** Whether the lines repeat themselves as those of a log do. */
  repeats(share: number): boolean {
    const counts = [...this.#shapes.values()]
      .map(({ count }) => count)
      .filter((count) => count >= MIN_SHAPE_LINES);
    const few = counts.toSorted((a, b) => b - a).slice(0, FEW_SHAPES);
    return few.reduce((sum, count) => sum + count, 0) >= share * this.compared;
  }

  /** Whether the lines have times or levels, or are of several kinds, one of which reports a failure. */
  get isLog(): boolean {
    const shapes = this.all();
    return this.#dated >= this.compared / 2 || (shapes.length > 2 && shapes.some(({ isReport }) => isReport));
  }

  /** Whether all lines are alike, or of two kinds, and tell nothing, as those of a list or of generated data. */
  get isList(): boolean {
    return this.#shapes.size <= 2 && !this.isLog;
  }

  /** In the order of their first lines. */
  all(): LogShape[] {
    return [...this.#shapes.values()];
  }
}

/**
 * A hash of a line in which numbers count by their length, and by what else `shapeOf` distinguishes: lines of equal hashes
 * have the same shape. Undefined for a long line.
 */
function likenessOf(text: string, from: number, end: number): number | undefined {
  if (end - from > MAX_COMPARED_CHARACTERS) return undefined;
  let [a, b] = [0x81_1c_9d_c5, 0x9e_37_79_b1];
  for (let at = from; at < end;) {
    let sign = text.charCodeAt(at);
    const first = sign;
    at += 1;
    if (isDigit(first)) {
      const start = at;
      while (at < end && isDigit(text.charCodeAt(at))) at += 1;
      const more = Math.min(at - start, 4);
      const isLevel = more === 1 && first >= FOUR && first <= FOUR + 2 && text.charCodeAt(start) === ZERO;
      const isOwn = isLevel || (more === 0 && first === ZERO) || (more === 2 && first === FOUR + 1);
      sign = OF_NUMBERS + 16 * more + (isOwn ? first - ZERO : 15);
    }
    a = Math.imul(a ^ sign, 0x01_00_01_93);
    b = Math.imul(((b << 5) | (b >>> 27)) ^ sign, 0x9e_37_79_b1);
  }
  return (a >>> 0) * 2 ** 20 + (b >>> 12);
}

/** The signs `0` and `4`, and one above all signs of text. */
const ZERO = 48;
const FOUR = 52;
const OF_NUMBERS = 0x1_00_00;

const isDigit = (sign: number): boolean => sign >= ZERO && sign < ZERO + 10;

function reports(text: string): boolean {
  return REPORT.test(text) && !SUCCESS.test(text) && REPORT.test(text.replace(NO_REPORT, ''));
}

/** `10:31:02 GET /items/7 took 5ms` → `#:#:# GET # took #`. In `0 errors` a zero stays, because it reports none. */
function shapeOf(text: string): string {
  const keepsZero = REPORT.test(text);
  return text
    .replace(TOKEN, (token, at: number) => {
      if (/^[EFW]\//.test(token)) return `${token.slice(0, 2)}#`;
      if (/\d/.test(token)) return token === '0' && keepsZero ? token : digits(token, text, at);
      if (/[/\\]/.test(token)) return '#';
      return /\w[_.-]\w/.test(token) && !tells(token, text, at) ? '#' : token;
    })
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a joined name reports a failure: by its end, in capitals (`ERR_ABORTED`), or as a field (`error_code=5`). */
function tells(token: string, text: string, at: number): boolean {
  if (!REPORT.test(token)) return false;
  return (
    OUTCOME.test(token) || /[A-Z]{3}/.test(token) || /^["']?\s?[:=](?!:)/.test(text.slice(at + token.length))
  );
}

function digits(token: string, text: string, at: number): string {
  // systemd: `status=1/FAILURE`.
  const [, number] = /^(\d{1,3})(?:\/[A-Z]+)?$/.exec(token) ?? [];
  if (number !== undefined) return numberOf(number, text, at);
  if (/^[A-Z]\d+$/.test(token)) return `${token.slice(0, 1)}#`;
  if (!/[a-z]{3}/i.test(token) || /[/\\]/.test(token)) return '#';
  return tells(token, text, at) ? `#${REPORT.exec(token)?.[0] ?? ''}` : '#';
}

/** What a number says about failures. */
function numberOf(token: string, text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 30), at);
  if (/^5\d\d$/.test(token) && (STATUS.test(before) || isAfterRequest(text, at))) return '5xx';
  if (/^[456]0$/.test(token) && NUMBERED_LEVEL.test(before)) return token === '40' ? 'warn' : 'error';
  return token !== '0' && EXIT.test(before) ? 'failed' : '#';
}

/** Whether a method and a path are before it: `GET /items/7 502`. */
function isAfterRequest(text: string, at: number): boolean {
  const path = text.lastIndexOf(' ', at - 2) + 1;
  return (
    text[at - 1] === ' ' &&
    text[path] === '/' &&
    /\b[A-Z]{3,7} $/.test(text.slice(Math.max(0, path - 9), path))
  );
}

/** Undefined if the text is no log, or is UTF-32. Throws the signal's reason. */
export async function scanLog(
  source: ByteSource,
  encoding: TextEncoding,
  signal: AbortSignal,
): Promise<LogScan | undefined> {
  const { bom, unit } = encoding;
  if (unit > 2) return undefined;
  const charactersOf = unit === 1 ? oneByteEach : twoBytesEach(encoding);
  const size = source.size ?? Number.POSITIVE_INFINITY;
  if (size > MAX_LOG_BYTES) return undefined;
  const isSampled = size > MAX_SCANNED_BYTES;
  const every = Math.ceil(size / READ_BYTES / MAX_SAMPLES);
  const table = new ShapeTable();
  const head: LogLine[] = [];
  const tail: LogLine[] = [];
  let lines = 0;
  let start = bom;
  /** The beginning of a line whose end was not read yet; undefined if it was not kept. */
  let begun: string | undefined = '';
  const take = (chunk: string, from: number, to: number, end: number): void => {
    lines += 1;
    const line = { no: lines, start, end };
    if (head.length < HEAD_LINES_SHOWN) head.push(line);
    tail.push(line);
    if (tail.length > LAST_LINES_SHOWN) tail.shift();
    if (begun !== undefined) {
      const whole = begun === '' ? undefined : begun + chunk.slice(from, to);
      const likeness = whole === undefined ? likenessOf(chunk, from, to) : likenessOf(whole, 0, whole.length);
      table.add(line, likeness, () => asBytes(whole ?? chunk.slice(from, to), unit));
    }
    begun = '';
    start = end;
  };
  let at = bom;
  for (;;) {
    const bytes = await readAt(source, at, READ_BYTES, signal);
    if (bytes.length === 0) break;
    const isEnd = at < MAX_END_BYTES || at >= size - MAX_END_BYTES;
    const chunk = charactersOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (isSampled && !isEnd && Math.floor(at / READ_BYTES) % every > 0) {
      lines += encoding.scanner.count(bytes);
      const last = chunk.lastIndexOf('\n');
      if (last !== -1) start = at + unit * (last + 1);
      begun = undefined;
    } else {
      let from = 0;
      for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
        take(chunk, from, end, at + unit * (end + 1));
        from = end + 1;
        if (lines === TRIED_LINES && !table.repeats(MIN_SHARE / 2)) return undefined;
        if (lines === LIST_LINES && table.isList) return undefined;
        if (lines === SURE_LINES && !table.isLog) return undefined;
      }
      if (begun !== undefined && begun.length < MAX_KEPT_CHARACTERS) begun += chunk.slice(from);
    }
    if (table.isFull) return undefined;
    at += bytes.length;
  }
  if (start < at) take('', 0, 0, at);
  if (!table.repeats(MIN_SHARE) || !table.isLog) return undefined;
  return { shapes: table.all(), lines, bytes: start, head, tail, isSampled };
}

const oneByteEach = (bytes: Buffer): string => bytes.toString('latin1');

function twoBytesEach({ name }: TextEncoding): (bytes: Buffer) => string {
  if (name !== 'utf-16be') return (bytes) => bytes.toString('utf16le');
  return (bytes) =>
    Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
}

/** The text as UTF-8, of which each byte is one character. Of units of one byte it is that already. */
const asBytes = (text: string, unit: number): string =>
  unit === 1 || Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');

/** The lines to show, the most important first: some of both ends, the reports, the ends, then the first line of each frequent shape. */
function* linesToShow({ shapes, head, tail }: LogScan): Iterable<LogLine> {
  yield* head.slice(0, 2);
  yield* tail.toReversed().slice(0, 3);
  for (const { first, last, isReport } of shapes) {
    if (!isReport) continue;
    yield first;
    yield last;
  }
  yield* head;
  yield* tail.toReversed();
  const frequent = shapes.filter(({ count, isReport }) => count >= MIN_SHAPE_LINES && !isReport);
  for (const { first } of frequent.toSorted((a, b) => b.count - a.count)) yield first;
}

/** The map of a log within `limits`. */
export async function fitLog(scan: LogScan, textOf: LogLineText, limits: LogMapLimits): Promise<CodeSummary> {
  const byFirst = new Map(scan.shapes.map((shape) => [shape.first.no, shape]));
  const shown = new Map<number, SummaryPart>();
  const most = Math.min(MAX_LOG_LINE_CHARACTERS, Math.floor(limits.bytes / MIN_LINES_OF_MAP));
  let room = limits.bytes;
  for (const line of linesToShow(scan)) {
    if (shown.has(line.no)) continue;
    const text = (await textOf(line)).replace(/\r?\n$/, '');
    const part = logPart(line.no, text, byFirst.get(line.no), most);
    room -= Buffer.byteLength(limits.show(part)) + GAP_BYTES;
    if (room < 0 || 2 * shown.size >= limits.lines) break;
    shown.set(line.no, part);
  }
  const parts: SummaryPart[] = [];
  const elided: LineRange[] = [];
  const gapTo = (to: number): void => {
    const from = (parts.at(-1)?.to ?? 0) + 1;
    if (from > to) return;
    elided.push({ from, to });
    parts.push({ kind: 'gap', from, to, text: '...' });
  };
  for (const part of [...shown.values()].toSorted((a, b) => a.from - b.from)) {
    gapTo(part.from - 1);
    parts.push(part);
  }
  gapTo(scan.lines);
  const elidedLines = elided.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return { parts, elided, elidedLines };
}

/** A line as stored; with the number of lines of its shape if it is the first of several; shortened if it is long. */
function logPart(no: number, text: string, shape: LogShape | undefined, most: number): SummaryPart {
  const isLong = text.length > most;
  const many = shape !== undefined && shape.count > 1 ? ` ${shape.count} lines like this` : '';
  if (!isLong && many === '') return { kind: 'line', from: no, to: no, text };
  const kept = isLong ? text.slice(0, most).toWellFormed() : text;
  return { kind: 'merged', from: no, to: no, text: `${kept} ...${many}` };
}

/** What a map says about its log. `target`: for the call that reads the reports which the map does not show. */
export function logNotice(
  { shapes, lines, isSampled }: LogScan,
  { parts }: CodeSummary,
  target: string,
): Notice {
  const reports = shapes.filter(({ isReport }) => isReport);
  const seen = new Set(parts.flatMap(({ kind, from }) => (kind === 'gap' ? [] : [from])));
  const hidden = reports.flatMap(({ first, last }) => [first.no, last.no]).filter((no) => !seen.has(no));
  const stamps = parts.at(-1)?.kind === 'gap' ? [] : parts.flatMap(({ text }) => STAMP.exec(text)?.[0] ?? []);
  return {
    kind: 'log',
    lines,
    shapes: shapes.length,
    reports: reports.reduce((sum, { count }) => sum + count, 0),
    reportShapes: reports.length,
    times: stamps.length > 1 ? [stamps[0] ?? '', stamps.at(-1) ?? ''] : undefined,
    isSampled,
    hidden: new Set(hidden).size,
    use:
      hidden.length === 0
        ? undefined
        : `${target}:${[...new Set(hidden)].slice(0, MAX_HIDDEN_LINES).join(',')}`,
  };
}
