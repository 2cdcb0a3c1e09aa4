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

/** Of the two ends of a sentence that is too long: with brackets, and what stands between them, 1 KiB at most. */
const END_BYTES = 480;

/** `Use http://h/aaa…[7120 characters left out]…aaa:301.. to continue`: the end of a call tells what it asks for. */
export function bounded(sentence: string): string {
  if (Buffer.byteLength(sentence) <= 1022) return sentence;
  const bytes = Buffer.from(sentence);
  const head = bytes.toString('utf8', 0, END_BYTES).replace(/\ufffd+$/, '');
  const tail = bytes.toString('utf8', bytes.length - END_BYTES).replace(/^\ufffd+/, '');
  return `${head}…[${sentence.length - head.length - tail.length} characters left out]…${tail}`;
}
