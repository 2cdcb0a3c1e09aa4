/** Replaces parts of a sentence by placeholders, so that later rewriting does not change calls and quoted names. */

/** The mark after a command. Sentences contain no control characters. */
const COMMAND = '\u0001';

export class Held {
  readonly #texts: string[] = [];

  hold(text: string): string {
    return `\0${this.#texts.push(text) - 1}\0`;
  }

  /** Holds a command. A full stop after it is removed, because it would be pasted with the command. */
  holdCommand(text: string): string {
    return this.hold(text) + COMMAND;
  }

  restore(text: string): string {
    return text
      .replaceAll(`${COMMAND}. `, '; ')
      .replaceAll(`${COMMAND}.`, '')
      .replaceAll(COMMAND, '')
      .replaceAll(/\0(\d+)\0/g, (_, no) => this.restore(this.#texts[Number(no)] ?? ''));
  }
}
