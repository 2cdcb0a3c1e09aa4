/**
 * A line of command output as a terminal shows it in the end: without escape sequences, and with the last state of a
 * progress bar that is redrawn by carriage returns.
 */

/** Source: ECMA-48, 5.4 (control sequences), 5.6 (control strings, here within one line), 5.5.3 (other escapes). */
const SEQUENCE =
  /\x1b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/y;

/** A line without any of these is not changed. */
const ACTS = /[\x1b\b\r]/;

/** One line (its terminator included) as a terminal would show it. Other control characters are left as they are. */
export function terminalText(line: string): string {
  if (!ACTS.test(line)) return line;
  const terminator = line.endsWith('\n') ? '\n' : '';
  const text = line.slice(0, line.length - terminator.length);
  const screen = new ScreenLine();
  for (let at = 0; at < text.length;) at += step(text, at, screen);
  return screen.text + terminator;
}

/** Applies the character or sequence at `at` and returns its length. */
function step(text: string, at: number, screen: ScreenLine): number {
  const character = text[at] as string;
  if (character === '\r') screen.moveTo(0);
  else if (character === '\b') screen.moveTo(screen.column - 1);
  else if (character === '\x1b') {
    SEQUENCE.lastIndex = at;
    const match = SEQUENCE.exec(text);
    if (!match) return screen.put(character);
    if (match[2] !== undefined) control(match[2], match[1] ?? '', screen);
    return match[0].length;
  } else return screen.put(String.fromCodePoint(text.codePointAt(at) as number));
  return 1;
}

/** Control sequences that act within the line; all others are removed. */
function control(final: string, parameters: string, screen: ScreenLine): void {
  const number = Number.parseInt(parameters, 10);
  const count = Number.isNaN(number) ? 1 : Math.max(1, number);
  if (final === 'C') screen.moveTo(screen.column + count);
  else if (final === 'D') screen.moveTo(screen.column - count);
  else if (final === 'G') screen.moveTo(count - 1);
  else if (final === 'K') screen.erase(Number.isNaN(number) ? 0 : number);
}

class ScreenLine {
  /** Undefined for an erased or skipped cell, which is blank; blank cells at the end of the line are dropped. */
  readonly #cells: (string | undefined)[] = [];
  column = 0;

  get text(): string {
    let end = this.#cells.length;
    while (end > 0 && this.#cells[end - 1] === undefined) end -= 1;
    return this.#cells
      .slice(0, end)
      .map((cell) => cell ?? ' ')
      .join('');
  }

  /** A move beyond the text adds one blank at most: the result is never longer than the input. */
  moveTo(column: number): void {
    if (column > this.#cells.length) this.#cells.push(undefined);
    this.column = Math.max(0, Math.min(column, this.#cells.length));
  }

  /** Returns the length of the character in UTF-16 code units. */
  put(character: string): number {
    this.#cells[this.column] = character;
    this.column += 1;
    return character.length;
  }

  /** 0: from the cursor to the end; 1: from the start to the cursor; 2: all. */
  erase(which: number): void {
    if (which === 0) this.#cells.length = this.column;
    else this.#cells.fill(undefined, 0, which === 1 ? this.column + 1 : undefined);
  }
}

// Detects binary output. Text with some invalid bytes is still text.

/** Bytes below which output is always shown. */
const ENOUGH = 256;

/**
 * Whether `bytes` are binary: mostly NUL, or many control characters and many invalid UTF-8 sequences. Names separated
 * by NUL (`find -print0`) and texts in old 8-bit encodings are text.
 */
export function looksBinary(bytes: Uint8Array, invalid: number): boolean {
  if (bytes.length < ENOUGH) return false;
  let nuls = 0;
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) nuls += 1;
    else if (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls += 1;
  }
  if (nuls > bytes.length * 0.3) return true;
  return nuls + controls > bytes.length * 0.03 && invalid > bytes.length * 0.1;
}
