/** Protects parts of a sentence from further rewriting: calls and names that are already quoted. */

/** Follows a command. Sentences have no control characters. */
const COMMAND = '\u0001';

export class Held {
  readonly #texts: string[] = [];

  hold(text: string): string {
    return `\0${this.#texts.push(text) - 1}\0`;
  }

  /** A command: a full stop after it would be pasted with it, so it has none. */
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
