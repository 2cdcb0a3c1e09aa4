/** Texts that an agent's own tool can open, in files that only this user can read; and what was answered with a map. */

import { randomBytes } from 'node:crypto';
import { appendFileSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PRIVATE_FILE, privateDirectory } from '../../files/kept-files.ts';
import { cacheDirectory, sweepFiles } from '../../session/directories.ts';

const TEXT_NAME = /^[0-9a-f]{24}\.txt$/;

/** Lines of notes; of more, only the last half is kept. */
const MAX_NOTES = 10_000;

/** Old texts are removed after so many new ones, and when the helper starts. */
const SWEEP_EVERY = 50;

export class KeptTexts {
  readonly #directory = privateDirectory(join(cacheDirectory(), 'hook'));
  #written = 0;

  /** The absolute path of a new file with this text. */
  write(text: string): string {
    if (this.#written % SWEEP_EVERY === 0) sweepFiles(this.#directory, (name) => TEXT_NAME.test(name));
    this.#written += 1;
    const path = join(this.#directory, `${randomBytes(12).toString('hex')}.txt`);
    writeFileSync(path, text, { flag: 'wx', mode: PRIVATE_FILE });
    return path;
  }

  /** Whether `path` is a text that was kept, and not a link to something else. */
  has(path: string): boolean {
    if (dirname(path) !== this.#directory || !TEXT_NAME.test(basename(path))) return false;
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  }

  /** Two digests each, the last ones last. */
  notes(): [string, string][] {
    let lines: readonly string[] = [];
    try {
      lines = readFileSync(this.#notesPath, 'utf8').split('\n');
      if (lines.length > MAX_NOTES) {
        lines = lines.slice(-MAX_NOTES / 2);
        writeFileSync(this.#notesPath, lines.join('\n'), { mode: PRIVATE_FILE });
      }
    } catch {
      // There are none.
    }
    return lines.flatMap((line): [string, string][] => {
      const [, key, version] = /^([0-9a-f]{32}) ([0-9a-f]{32})$/.exec(line) ?? [];
      return key === undefined || version === undefined ? [] : [[key, version]];
    });
  }

  /** So that another helper knows it, too. */
  note(key: string, version: string): void {
    appendFileSync(this.#notesPath, `${key} ${version}\n`, { mode: PRIVATE_FILE });
  }

  get #notesPath(): string {
    return join(this.#directory, 'mapped');
  }
}
