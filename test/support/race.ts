/** TOCTOU tests: a directory is swapped with a symlink that leads outside the root while tools read it in a loop. */

import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { racer } from './racer.ts';
import { zip } from './zip.ts';

/** Occurs in the name or the content of every file outside the root. */
export const OUTSIDE_MARK = 'TOPSECRET-OUTSIDE';

/** A root `W`, a directory `O` next to it with secrets, and a function that writes a file below the root. */
export interface RaceGround {
  readonly W: string;
  readonly O: string;
  write(path: string, content: string | Uint8Array): unknown;
}

/** An answer. */
export interface Told {
  readonly whole: string;
  readonly isError: boolean;
  /** The message of a failure. */
  readonly text: string;
}

/** A call to make; `often`: how many times in each round of a long run (default 1). */
export interface Question {
  readonly name: string;
  readonly often?: number;
  ask(): Promise<Told>;
}

export interface Raced {
  readonly asked: number;
  /** Names of calls and their answers that are not allowed. */
  readonly wrong: readonly string[];
}

/** Calls of tools whose answers depend on what `d` is at the moment. */
export const raceCalls: readonly (readonly [tool: string, input: object])[] = [
  ['grep', { pattern: 'inside|SECRET' }],
  ['grep', { pattern: 'inside|SECRET', offset: 7 }],
  ['grep', { pattern: 'inside', limit: 1 }],
  ['grep', { pattern: 'inside', path: 'd' }],
  ['grep', { pattern: 'inside', path: 'd/f.txt' }],
  ['find', { pattern: '*.txt' }],
  ['find', { pattern: '*.txt', offset: 30 }],
  ['find', { pattern: '*', path: 'd' }],
  ['ls', { path: 'd' }],
  ['ls', { path: 'd/sub', offset: 5 }],
  ['read', { path: 'd/f.txt' }],
  ['read', { path: 'd/a.zip:m.txt' }],
  ['read', { path: 'g.txt' }],
];

/** Calls per round of a long run: fewer for `grep`, which starts a process. */
export const oftenOf = (tool: string): number => (tool === 'grep' ? 1 : 12);

/** Creates the directory `real` and `away`, a symlink to the outside; `exchanging` renames one or the other to `d`. */
export function layRace({ W, O, write }: RaceGround): void {
  const fill = (at: string, text: string): void => {
    write(`${at}/f.txt`, `${text}\n`);
    write(`${at}/sub/g.txt`, `${text}\nmore ${text}\n`);
    write(`${at}/a.zip`, zip([{ name: 'm.txt', content: `${text}\n` }]));
  };
  fill('real', 'inside');
  fill('../outside', OUTSIDE_MARK);
  for (let i = 0; i < 40; i += 1) writeFileSync(`${O}/inside-${i}.txt`, `inside ${OUTSIDE_MARK}\n`);
  writeFileSync(`${O}/.gitignore`, 'f.txt\n');
  symlinkSync(O, `${W}/away`);
}

/**
 * Renames `real` and `away` to `d` and back in a loop until the returned function is called. Not with mv(1), which renames
 * dozens of times a second: code that checks a path before it opens it was not caught in 5,000 reads. This process
 * renames a hundred thousand times, and caught it in one of 150 reads.
 */
export function exchanging(W: string): () => Promise<void> {
  return racer(
    `cd ${W}; exec ${process.execPath} -e '
      const { renameSync } = require("node:fs");
      for (;;) for (const [from, to] of [["real", "d"], ["d", "real"], ["away", "d"], ["d", "away"]]) renameSync(from, to);
    '`,
  );
}

/**
 * Makes the calls in rounds during the renames: for `seconds`, or at least `atLeast` calls if that is 0. An answer is
 * allowed if the same call gave it while nothing moved, in any of the states that a walk can see, or if it is an error that
 * reveals only that something moved.
 */
export async function race(
  { W }: RaceGround,
  questions: readonly Question[],
  { atLeast, seconds }: { atLeast: number; seconds: number },
): Promise<Raced> {
  const allowed = questions.map(() => new Set<string>());
  const arrange = async (steps: string, undo: string): Promise<void> => {
    execFileSync('sh', ['-c', steps], { cwd: W });
    const answers = await Promise.all(questions.map((one) => one.ask()));
    for (const [i, told] of answers.entries()) allowed[i]?.add(underOneName(told, W));
    execFileSync('sh', ['-c', undo], { cwd: W });
  };
  await arrange(':', ':');
  await arrange('mv real d', 'mv d real');
  await arrange('mv away d', 'mv d away');
  // A walk during a rename can see the directory under both names, or under neither.
  await arrange('cp -a real d', 'rm -r d');
  await arrange('mv real ../kept', 'mv ../kept real');
  const round = questions.flatMap(({ often = 1 }, i) => Array<number>(seconds > 0 ? often : 1).fill(i));
  const stop = exchanging(W);
  const wrong = new Set<string>();
  const end = performance.now() + seconds * 1_000;
  let asked = 0;
  try {
    for (; seconds > 0 ? performance.now() < end : asked < atLeast; asked += round.length) {
      const answers = await Promise.all(round.map((i) => (questions[i] as Question).ask()));
      for (const [at, told] of answers.entries()) {
        const i = round[at] as number;
        if (allowed[i]?.has(underOneName(told, W)) || isHonestRefusal(told) || isHonestlyEmpty(told))
          continue;
        wrong.add(`${questions[i]?.name} → ${told.whole}`);
      }
    }
  } finally {
    await stop();
  }
  return { asked, wrong: [...wrong] };
}

/** The answer with `d` replaced by `real`: the directory may be renamed between opening it and asking for its path. */
function underOneName({ whole }: Told, W: string): string {
  // As a path, and as separate names in JSON within a JSON string.
  const above = basename(W);
  return whole.replaceAll(new RegExp(String.raw`(/${above}/|"${above}\\",\\")d(?=[/"\\])`, 'g'), '$1real');
}

/** Whether nothing was found, and what is named as left out is one of the exchanged names, whatever it is by then. */
function isHonestlyEmpty({ text, whole }: Told): boolean {
  const left = String.raw`\n\[\d links? left out(?:\. Use (?:path=|read )(?:d|away|real) to (?:include|see) (?:it|the first of them))?\]`;
  const empty = new RegExp(`^No (?:matches found|files found matching pattern)(?:${left})?$`);
  return empty.test(text) && !whole.includes(OUTSIDE_MARK);
}

/** Whether the answer is an error that reveals only that something was renamed. */
function isHonestRefusal({ isError, text, whole }: Told): boolean {
  // Each call of a round uses its own connection, and the server limits connections per address.
  if (isError && text.startsWith('Too many connections are open from your address.')) return true;
  const places =
    /^(?:That path|d|real|\S*\/work\/(?:d|real))(?:\/(?:f\.txt|sub|sub\/g\.txt|a\.zip))?(?::m\.txt)?$/;
  const [, path = '', said = ''] =
    /^(That path|\S+) (does not exist|lies outside the directories that may be read|was replaced while it was being opened|goes through (?:something that is not a directory|(?:d|real), which is a file))\./.exec(
      text,
    ) ?? [];
  return isError && said !== '' && places.test(path) && !whole.includes(OUTSIDE_MARK);
}
