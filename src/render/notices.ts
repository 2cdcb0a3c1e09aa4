/**
 * The default sentence of every notice. Elsewhere a notice is data. Dialects may have other sentences for some of them.
 */

import { OrielError } from '../errors.ts';
import { oneLine, quote, shellWord, useSentence } from '../text/visible.ts';
import type { Answer, NoStructure, Notice } from '../types/answer.ts';
import type { CutBy, Limits } from '../types/excerpt.ts';
import { binarySize, bounded, limitSize, plural } from './display.ts';

export type NoticeWording = { [K in Notice['kind']]: (notice: Extract<Notice, { kind: K }>) => string };

export const wording: NoticeWording = {
  cut(notice) {
    const span = notice.in === 'lines' ? inLines(notice) : inBytes(notice);
    const where = notice.backwards ? 'continue backwards' : 'continue';
    return `Showing ${span}. Use ${notice.use} to ${where}`;
  },
  'cut-end': ({ line, byte, use }) =>
    `${line === undefined ? 'The last line' : `Line ${line}`} is cut at byte ${byte}. Use ${use} for the rest of it`,
  'past-end': ({ target, asked, line, totals, use, continued }) => {
    const page = continued === undefined ? '' : `${continued} for the next page, `;
    if (line !== undefined) {
      const end = totals.bytes === undefined ? `before b${asked.slice(1)}` : `at byte ${totals.bytes}`;
      return `Line ${line} of ${oneLine(target)} ends ${end}, and nothing follows. Use ${page}${use[0]} for the line`;
    }
    const size =
      totals.lines !== undefined
        ? plural(totals.lines, 'line')
        : totals.bytes === undefined
          ? 'which is shorter'
          : plural(totals.bytes, 'byte');
    const calls = use.map((call, i) => `${call} for the ${i === 0 ? 'end' : 'start'}`).join(' or ');
    const what = continued === undefined ? 'the end' : 'this page';
    return `${asked} is beyond ${what} of ${oneLine(target)} (${size}). Use ${page}${calls}`;
  },
  empty: ({ target }) => `${oneLine(target)} is empty: 0 lines`,
  short({ target, last, missing = [] }) {
    const none = missing.map(({ from, to }) => (to === from ? String(from) : `${from}-${to ?? ''}`));
    const beyond = none.length === 0 ? '' : `: nothing at ${none.join(', ')}`;
    return `${oneLine(target)} ends at line ${last}${beyond}`;
  },
  around: ({ line, use }) => `Line ${line} and the lines around it. Use ${use} to continue`,
  binary: ({ target, type, bytes, use, isNearlyText }) =>
    `${oneLine(target)} is binary (${type}${bytes === undefined ? '' : `, ${binarySize(bytes)}`}). ` +
    (use === undefined
      ? howToLook(target)
      : `Use ${use} to ${isNearlyText ? 'read it as text' : 'list what it holds'}`),
  escaped: ({ count, use, nul = false }) =>
    `${plural(count, 'control or invisible character')} shown as escapes` +
    (use === undefined || (nul && count === 1)
      ? ''
      : `; ${use} has ${count === 1 ? 'it' : 'them'} as stored${nul ? ', except NUL' : ''}`),
  invalid: ({ count, encoding, use }) =>
    `${plural(count, `invalid ${encoding} sequence`)} shown as U+FFFD${use === undefined ? '' : `; ${use} decodes it otherwise`}`,
  encoding(notice) {
    const { encoding } = notice;
    if ('guessed' in notice) {
      return `Decoded from ${encoding}, which is a guess: the text does not say. ${notice.use}, or another name, decides`;
    }
    if ('declared' in notice) return `Decoded from ${encoding}, as the text declares`;
    if (encoding === 'UTF-8') return 'UTF-8 byte order mark taken off';
    return `Decoded from ${encoding}${notice.mark ? '' : ' (no byte order mark)'}`;
  },
  unterminated: () => 'No newline at end of file',
  changed: ({ target }) =>
    `${oneLine(target)} changed while it was being read: lines may be from two versions. Call again`,
  suffix: ({ from, to }) =>
    `Path '${oneLine(from)}' not found; resolved to '${oneLine(to)}' via suffix match`,
  'output-cut': (notice) => {
    const { stream, use } = notice;
    const of = stream === undefined ? '' : ` of ${stream}`;
    const next = use === undefined ? '' : `. Use ${use} to continue backwards`;
    return `Showing ${outputSpan(notice)}${of}. ${fullOutput(notice, binarySize)}${next}`;
  },
  'output-binary': (notice) =>
    `The output is binary (${binarySize(notice.bytes)}) and is not shown. ${fullOutput(notice, binarySize)}` +
    (notice.kept ? `. Use a shell to look at it: xxd ${shellWord(notice.kept.path)} | head -100` : ''),
  'no-output': () => '(no output)',
  exit: ({ code }) => `Command exited with code ${code}`,
  signal: ({ signal }) => `Command was ended by signal ${signal}`,
  'time-out': ({ seconds }) => `Command timed out after ${plural(seconds, 'second')}`,
  cancelled: () => 'Command was cancelled',
  'timeout-capped': ({ asked, seconds }) => `timeout is in seconds: ${asked} was capped at ${seconds}`,
  background: ({ ended, left }) =>
    left > 0
      ? `${left} of the command's processes could not be ended`
      : `${ended} ${ended === 1 ? 'process' : 'processes'} left in the background ended with the command`,
  summary({ target, elidedLines, use, whole, left, namesCalls }) {
    const short = namesCalls ? '; the path goes before each :#… and :N..M' : '';
    const lost =
      left === undefined
        ? ''
        : ` with ${plural(left, 'symbol')} among them (${target}:outline lists all${short})`;
    const all = whole === undefined ? '' : `, or all of it: ${whole}`;
    return `${plural(elidedLines, 'line')} elided${lost}; re-read needed ranges, e.g. ${use}${all}`;
  },
  log({ lines, shapes, reports, reportShapes, times, isSampled, hidden, use }) {
    const span = times ? `, ${times[0]} to ${times[1]}` : '';
    const counted = isSampled ? '. Counted in its beginning, its end and samples between' : '';
    const none = 'none reports an error, a warning or a failure';
    const found =
      reports === 0
        ? none
        : `${plural(reports, 'line')} of ${plural(reportShapes, 'shape')} report errors, warnings or failures`;
    const rest = use === undefined ? '' : `. Use ${use} to read ${plural(hidden, 'such line')} not shown`;
    return `A log of ${plural(lines, 'line')} of ${plural(shapes, 'shape')}${span}${counted}; ${found}${rest}`;
  },
  outline({ target, symbols, left, example }) {
    const lost = left === undefined ? '' : `, ${left} of them not listed`;
    const calls =
      example && `${target}:${example.from}..${example.to} or ${target}:#${oneLine(example.name)}`;
    return `${plural(symbols, 'symbol')}${lost}${calls ? `. Read one by its lines or its name, e.g. ${calls}` : ''}`;
  },
  'no-structure': (notice) =>
    notice.what === 'outline'
      ? `${oneLine(notice.target)} has no outline: ${noStructure[notice.why]}. Use ${notice.target} to read it`
      : `No ${notice.what}: ${noStructure[notice.why]}${notice.bytes === undefined ? '. This is the text itself' : `, so only the first ${binarySize(notice.bytes)} are shown`}`,
  symbols({ target, name, candidates, more, shown }) {
    const list = candidates.map((one) => `${oneLine(one.name)} (${one.use})`).join(', ');
    const rest = more > 0 ? ` and ${more} more${shown ? '' : `, see ${oneLine(target)}:outline`}` : '';
    return `'${quote(name)}' is ambiguous in ${oneLine(target)}: ${list}${rest}${shown ? '; all are shown' : ''}`;
  },
  said: ({ text }) => text,
};

/** For dialects without selectors: the notices about decoding, without the call that decodes differently. */
export const withoutSelectors: Pick<NoticeWording, 'encoding' | 'escaped' | 'invalid'> = {
  encoding: (notice) =>
    'guessed' in notice
      ? `Decoded from ${notice.encoding}, which is a guess: the text does not say`
      : wording.encoding(notice),
  escaped: ({ count }) => `${plural(count, 'control or invisible character')} shown as escapes`,
  invalid: ({ kind, count, encoding }) => wording.invalid({ kind, count, encoding }),
};

/** Why a text has no map, outline or symbols: the part of a sentence after its colon. */
export const noStructure: Readonly<Record<NoStructure, string>> = {
  language: 'files of this kind are not outlined',
  empty: 'no symbols were found in it',
  binary: 'it does not look like text',
  minified: 'it looks minified',
  size: 'it is over 4 MiB',
  long: 'it has over 20,000 lines or is over 2 MiB',
  dense: 'it would be no shorter',
  time: 'parsing it took too long',
  crash: 'its parser failed',
};

/** The notice in brackets, as shown in an answer: at most 1 KiB, not counting the calls that it names. */
export function say(notice: Notice, words: NoticeWording = wording): string {
  return `[${sentence(notice, words)}]`;
}

/** The notice without its brackets. */
export function sentence(notice: Notice, words: NoticeWording): string {
  return bounded((words[notice.kind] as (notice: Notice) => string)(notice), callsIn(notice));
}

/** The notice as an element of `details.notices`. */
export function detailOf(
  notice: Notice,
  words: NoticeWording,
): { readonly kind: string; readonly text: string } {
  return withCalls({ kind: notice.kind, text: sentence(notice, words) }, callsIn(notice));
}

type OutputCut = Extract<Notice, { kind: 'output-cut' }>;

function outputSpan({ lines, totals, by, limits, partial }: OutputCut): string {
  if (partial) {
    return `last ${binarySize(partial.shown)} of line ${partial.no} (line is ${binarySize(partial.bytes)})`;
  }
  if (lines.length === 0) return `0 of ${plural(totals.lines, 'line')}${limit(by, limits)}`;
  return `${nounOf(lines)} ${runsOf(lines)} of ${totals.lines}${limit(by, limits)}`;
}

/** Where the full output is kept, or why it is not. */
export function fullOutput(
  { kept, unkept }: Extract<Notice, { kind: 'output-cut' | 'output-binary' }>,
  size: (bytes: number) => string,
): string {
  if (!kept) return unkept?.replace(/\.$/, '') ?? 'The full output could not be kept';
  const about = [
    ...(kept.capped ? [`its first ${size(kept.bytes)}`] : []),
    ...(kept.unshared === undefined ? [] : [`on this replica alone: ${kept.unshared}`]),
  ];
  return `Full output: ${kept.path}${about.length > 0 ? ` (${about.join('; ')})` : ''}`;
}

type Cut = Extract<Notice, { kind: 'cut' }>;

function inLines({ lines, bytes, totals, by, limits, inside }: Cut): string {
  const shown = runsOf(lines);
  if (inside) return `a part of line ${shown}${lengthOf(inside.bytes)}${limit(by, limits)}`;
  const noun = nounOf(lines);
  if (totals.lines !== undefined) return `${noun} ${shown} of ${totals.lines}${limit(by, limits)}`;
  const stored =
    bytes && totals.bytes !== undefined ? `, bytes ${bytes[0]}-${bytes[1]} of ${totals.bytes}` : '';
  return `${noun} ${shown}${stored}${limit(by, limits)}`;
}

function inBytes({ lines, bytes, totals, by, limits, inside }: Cut): string {
  const [start, end] = bytes ?? [0, 0];
  const of = totals.bytes === undefined ? '' : ` of ${totals.bytes}`;
  const first = lines[0];
  if (inside) {
    const line = inside.no === undefined ? 'a line' : `line ${inside.no}`;
    return `bytes ${start}-${end}${of}, inside ${line}${lengthOf(inside.bytes)}`;
  }
  const why = by === 'window' ? '' : limitWords(by, limits);
  const facts = [first && `lines ${first[0]}-${first[1]}`, why].filter(Boolean).join(', ');
  return `bytes ${start}-${end}${of}${facts ? ` (${facts})` : ''}`;
}

type Runs = readonly (readonly [number, number])[];

/** `1-20, 41`. */
function runsOf(runs: Runs): string {
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}

function nounOf(runs: Runs): string {
  const [first] = runs;
  return runs.length === 1 && first?.[0] === first?.[1] ? 'line' : 'lines';
}

function lengthOf(bytes: number | undefined): string {
  return bytes === undefined ? '' : ` (${bytes} bytes long)`;
}

/** How to look at binary content: with a shell, or its first bytes. Never with `:raw`, which shows all of it as text. */
export function howToLook(target: string): string {
  const word = shellWord(oneLine(target));
  if (/^https?:/i.test(target)) return `Use a shell to look at it: curl -sL ${word} | xxd | head -100`;
  if (/^s3:/i.test(target)) return `Use a shell to look at it: aws s3 cp ${word} - | xxd | head -100`;
  if (/^[a-z][\w+.-]*:\/\//i.test(target)) return `Use ${oneLine(target)}:@0+1K for its first bytes`;
  return `Use a shell to look at it: file ${shellWord(target)}, or xxd ${shellWord(target)} | head -100`;
}

function limit(by: CutBy, limits: Limits): string {
  const words = limitWords(by, limits);
  return words === '' ? '' : ` (${words})`;
}

/** Names the limit. The limit of lines is not named: its number is in the span. */
function limitWords(by: CutBy, limits: Limits): string {
  switch (by) {
    case 'bytes':
      return `${limitSize(limits.bytes, limits)} limit`;
    case 'line':
      return `${limitSize(Math.min(limits.line, limits.bytes), limits)} limit`;
    case 'tokens':
      return `${limits.tokens} token limit`;
    default:
      return '';
  }
}

// The calls that notices name, as data: for faces that write them in their own syntax.

const named = new WeakMap<object, readonly string[]>();

/** The paths of the calls in the sentence of `detail`, which is an element of `details.notices` made in this process. */
export function callsOf(detail: object): readonly string[] {
  return named.get(detail) ?? [];
}

/** Records the calls in the sentence of `detail`, and returns it. */
export function withCalls<Detail extends object>(
  detail: Detail,
  calls: readonly (string | undefined)[],
): Detail {
  named.set(
    detail,
    calls.filter((call) => call !== undefined),
  );
  return detail;
}

/** The calls that `wording` writes into the sentence of a notice. */
export function callsIn(notice: Notice): readonly (string | undefined)[] {
  switch (notice.kind) {
    case 'past-end':
      return [notice.continued, ...notice.use];
    case 'summary':
      return [notice.use, notice.whole, `${notice.target}:outline`];
    case 'outline': {
      const { target, example } = notice;
      if (!example) return [];
      return [`${target}:${example.from}..${example.to}`, `${target}:#${oneLine(example.name)}`];
    }
    case 'no-structure':
      return notice.what === 'outline' ? [notice.target] : [];
    case 'symbols':
      return [...notice.candidates.map(({ use }) => use), `${oneLine(notice.target)}:outline`];
    case 'said':
      return [notice.use, ...(notice.calls ?? [])];
    default:
      return 'use' in notice ? [notice.use] : [];
  }
}

// Builds answers from text, facts, notices and errors.

export function textAnswer(text: string, details: Record<string, unknown> = {}, isError = false): Answer {
  return { content: [{ type: 'text', text }], details, isError };
}

export function errorAnswer({ code, message, next }: OrielError): Answer {
  return textAnswer(message, { error: { code, message, next } }, true);
}

const MAX_SENTENCE_CALL_BYTES = 800;

/**
 * Adds the call to make instead (`next`) to the message of the error, because a model sees only the text. The call is whole,
 * or left out: a shortened one cannot be made.
 */
export function withCall(error: OrielError): OrielError {
  const { code, message, next, cause } = error;
  if (next === undefined || /\bUse\b/.test(message)) return error;
  if (oneLine(next) !== next || Buffer.byteLength(next) > MAX_SENTENCE_CALL_BYTES) return error;
  const sentence = next === '.' ? 'Use . to list the working directory.' : useSentence(next);
  return new OrielError(code, `${message} ${sentence}`, { next, cause });
}

/** The text with notices below it, each on a separate line. The last one names the next call. */
export function withNotices(text: string, notices: readonly Notice[], words: NoticeWording): string {
  const said = notices.map((notice) => say(notice, words)).join('\n');
  if (said === '') return text;
  return text === '' || text.endsWith('\n') ? text + said : `${text}\n${said}`;
}
