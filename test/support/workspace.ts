/** A temporary root with a secret file outside of it, and oriel confined to the root. */

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Answer, createOriel, type Oriel, type OrielOptions } from '../../src/index.ts';
import type { AtEnd } from './commands.ts';

export const SECRET = 'TOPSECRET-OUTSIDE';

/** Calls without a time limit. */
export const unhurried: OrielOptions = { timeoutMs: Number.POSITIVE_INFINITY };

export interface Workspace {
  /** The only root, and the working directory. */
  readonly W: string;
  /** A folder next to the root; contains secret.txt. */
  readonly O: string;
  /** Writes a file below the root and returns its absolute path. */
  write(path: string, content: string | Uint8Array): string;
  /** Confined to the root. */
  readonly oriel: Oriel;
  with(options: OrielOptions): Oriel;
  read(path: string, options?: OrielOptions): Promise<Answer>;
  /** The text of the answer. */
  text(path: string, options?: OrielOptions): Promise<string>;
}

/** `own`: options of every Oriel of the workspace, for example `unhurried` for tests that are slow on a busy machine. */
export function workspace(own: OrielOptions = {}, atEnd: AtEnd = onTestFinished): Workspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-test-')));
  const W = join(base, 'work');
  const O = join(base, 'outside');
  mkdirSync(W);
  mkdirSync(O);
  writeFileSync(join(O, 'secret.txt'), `${SECRET}\n`);
  const walled = (options: OrielOptions = {}): Oriel =>
    createOriel({ web: false, cache: false, cwd: W, roots: [W], ...own, ...options });
  const oriel = walled();
  atEnd(async () => {
    await oriel.close();
    // Programs that are ending may still add files. Only the asynchronous removal lists the directory again.
    await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  const read = (path: string, options?: OrielOptions): Promise<Answer> =>
    (options ? walled(options) : oriel).tool('read').run({ path });
  return {
    W,
    O,
    oriel,
    with: walled,
    read,
    text: async (path, options) => textOf(await read(path, options)),
    write(path, content) {
      const full = join(W, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
      return full;
    },
  };
}

export function textOf(answer: Answer): string {
  const [first] = answer.content;
  if (first?.type !== 'text') throw new Error('the answer has no text');
  return first.text;
}

/** The stable code of a failure, or OK. */
export function codeOf(answer: Answer): string {
  return (answer.details['error'] as { code: string } | undefined)?.code ?? 'OK';
}

/** The path that the answer's last notice says to read next; undefined if there is no more. */
export function nextOf(answer: Answer): string | undefined {
  const last = textOf(answer).split('\n').at(-1) ?? '';
  return /^\[.*Use (.+) to continue( backwards)?\]$/.exec(last)?.[1];
}

/** The text without its notices. */
export function bodyOf(answer: Answer): string {
  const notices = (answer.details['notices'] as { text: string }[] | undefined) ?? [];
  let text = textOf(answer);
  for (const { text: said } of notices.toReversed()) {
    if (text.endsWith(`[${said}]`)) text = text.slice(0, -said.length - 2).replace(/(\])\n$/, '$1\n');
  }
  return text;
}
