/**
 * A queue of finished calls that are not counted yet. They are stored as numbers and strings in two arrays that are reused:
 * an object for each call would be moved by the garbage collector and scattered in memory, which costs more than counting.
 */

import type { CallNote, TextNote } from '../types/telemetry.ts';

/** Maximum calls in the queue. */
const MOST = 256;

/** Maximum characters of their names. */
const MOST_NAMES = 64 << 10;

/** `began`, `ms`, `bytes`, `images`; lines and bytes of a text, each from and to; its totals. NaN stands for undefined. */
const NUMBERS = 10;

/** `task`, `caller`, `host`, `dialect`, `tool`, `error`, `reads`, `list`; of a text its version, `kind`, `view`, `window`, `cutBy`, `spans`. */
const NAMES = 14;

type Name = string | object | undefined;

export class NoteQueue {
  readonly #numbers = new Float64Array(NUMBERS * MOST);
  readonly #names = Array<Name>(NAMES * MOST).fill(undefined);
  #length = 0;
  #characters = 0;

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= MOST || this.#characters > MOST_NAMES;
  }

  /** There must be room. Fields are assigned one by one, for speed: this runs in every call, while its caller waits. */
  push(note: CallNote): void {
    const { text, task, host } = note;
    const numbers = this.#numbers;
    const names = this.#names;
    const n = NUMBERS * this.#length;
    const m = NAMES * this.#length;
    this.#length += 1;
    this.#characters += (task?.length ?? 0) + (host?.length ?? 0);
    numbers[n] = note.began;
    numbers[n + 1] = note.ms;
    numbers[n + 2] = note.bytes;
    numbers[n + 3] = note.images ?? Number.NaN;
    names[m] = task;
    names[m + 1] = note.caller;
    names[m + 2] = host;
    names[m + 3] = note.dialect;
    names[m + 4] = note.tool;
    names[m + 5] = note.error;
    names[m + 6] = note.reads;
    names[m + 7] = note.list;
    if (!text) return;
    numbers[n + 4] = text.first ?? Number.NaN;
    numbers[n + 5] = text.last ?? Number.NaN;
    numbers[n + 6] = text.from ?? Number.NaN;
    numbers[n + 7] = text.to ?? Number.NaN;
    numbers[n + 8] = text.totals.lines ?? Number.NaN;
    numbers[n + 9] = text.totals.bytes ?? Number.NaN;
    names[m + 8] = text.of;
    names[m + 9] = text.kind;
    names[m + 10] = text.view;
    names[m + 11] = text.window;
    names[m + 12] = text.cutBy;
    names[m + 13] = text.spans;
  }

  /** Unpacks the note at an index. */
  at(place: number): CallNote {
    const numbers = this.#numbers;
    const names = this.#names;
    const n = NUMBERS * place;
    const m = NAMES * place;
    const of = names[m + 8] as TextNote['of'] | undefined;
    return {
      task: names[m] as CallNote['task'],
      caller: names[m + 1] as CallNote['caller'],
      host: names[m + 2] as CallNote['host'],
      dialect: names[m + 3] as string,
      tool: names[m + 4] as string,
      began: numbers[n] as number,
      ms: numbers[n + 1] as number,
      bytes: numbers[n + 2] as number,
      images: known(numbers[n + 3]),
      error: names[m + 5] as CallNote['error'],
      text: of && {
        of,
        kind: names[m + 9] as string,
        view: names[m + 10] as TextNote['view'],
        window: names[m + 11] as TextNote['window'],
        cutBy: names[m + 12] as TextNote['cutBy'],
        totals: { lines: known(numbers[n + 8]), bytes: known(numbers[n + 9]) },
        first: known(numbers[n + 4]),
        last: known(numbers[n + 5]),
        from: known(numbers[n + 6]),
        to: known(numbers[n + 7]),
        spans: names[m + 13] as TextNote['spans'],
      },
      reads: names[m + 6] as CallNote['reads'],
      list: names[m + 7] as CallNote['list'],
    };
  }

  clear(): void {
    this.#names.fill(undefined, 0, NAMES * this.#length);
    this.#length = 0;
    this.#characters = 0;
  }
}

function known(number: number | undefined): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}
