/** How sizes, counts and ages are written for a reader. */

const KIB = 1024;

/** `512 B`, `50 KiB`, `1.5 MiB`: whole where it is whole. */
export function binarySize(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes / KIB;
  let unit = 0;
  while (value >= KIB && unit < units.length - 1) {
    value /= KIB;
    unit += 1;
  }
  const digits = value >= 100 || Number.isInteger(value) ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}

/** `300B`, `50KB`: whole units of 1,000 bytes. */
export function decimalSize(bytes: number): string {
  return bytes < 1000 ? `${bytes}B` : `${Math.round(bytes / 1000)}KB`;
}

/** `now`, `5m`, `3h`, `2d`, `6w`, `3y`. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 14) return `${days}d`;
  return days < 2 * 365 ? `${Math.floor(days / 7)}w` : `${Math.floor(days / 365)}y`;
}

/** `12`, `12-40`: the numbers from the first to the last, inclusive. */
export function span(from: number, to: number): string {
  return from === to ? String(from) : `${from}-${to}`;
}

/** `1 line`, `2 lines`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** What a page shows of a list, from entry `from` (0-based) to before `end`: `1 file`, `Files 3-4 of 9`, `File 9 of 9`. */
export function partOf(from: number, end: number, all: number, word: string): string {
  if (from === 0 && end === all) return plural(all, word);
  const noun = `${word.charAt(0).toUpperCase()}${word.slice(1)}${end - from === 1 ? '' : 's'}`;
  return `${noun} ${span(from + 1, end)} of ${all}`;
}

/** Bytes of a notice without its brackets, and without the calls that it names. */
const SENTENCE_BYTES = 1022;

/** Bytes of the calls of one notice that are there whole: as long as a path may be. */
const CALL_BYTES = 4096;

/**
 * A sentence of 1 KiB at most, besides the calls that it names: what is left out is in the middle of its other parts.
 * A call is whole, or it would lead nowhere, while all of them have 4 KiB at most.
 */
export function bounded(sentence: string, calls: readonly (string | undefined)[] = []): string {
  if (Buffer.byteLength(sentence) <= SENTENCE_BYTES) return sentence;
  // Every second part is a call.
  const parts = [sentence];
  let room = CALL_BYTES;
  for (const call of calls) {
    if (!call || Buffer.byteLength(call) > room) continue;
    const at = parts.findIndex((part, i) => i % 2 === 0 && part.includes(call));
    if (at === -1) continue;
    const [before = '', ...after] = (parts[at] as string).split(call);
    parts.splice(at, 1, before, call, after.join(call));
    room -= Buffer.byteLength(call);
  }
  const each = Math.floor(SENTENCE_BYTES / (parts.length / 2 + 0.5));
  return parts.map((part, i) => (i % 2 === 0 ? clipped(part, each) : part)).join('');
}

/** The two ends of what has more than `most` bytes. */
function clipped(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const end = Math.max(0, Math.floor((most - LEFT_OUT_BYTES) / 2));
  const head = bytes.toString('utf8', 0, end).replace(/\ufffd+$/, '');
  const tail = bytes.toString('utf8', bytes.length - end).replace(/^\ufffd+/, '');
  return `${head}…[${text.length - head.length - tail.length} characters left out]…${tail}`;
}

/** What says how much is left out, of numbers below 10^9. */
const LEFT_OUT_BYTES = 42;
