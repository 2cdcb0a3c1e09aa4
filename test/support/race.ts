/** A race that is counted: a directory is exchanged for a link that leads out, while everything that reads asks for it. */

import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { racer } from './racer.ts';
import { zip } from './zip.ts';

/** In the name or the text of all that lies outside. */
export const OUTSIDE_MARK = 'TOPSECRET-OUTSIDE';

/** A root, a directory beside it that holds secrets, and what writes a file below the root. */
export interface RaceGround {
  readonly W: string;
  readonly O: string;
  write(path: string, content: string | Uint8Array): unknown;
}

/** What came back, whole. */
export interface Told {
  readonly whole: string;
  readonly isError: boolean;
  /** What is said of a failure. */
  readonly text: string;
}

/** One question; `often`: how many times in each round of a long run. */
export interface Question {
  readonly name: string;
  readonly often?: number;
  ask(): Promise<Told>;
}

export interface Raced {
  readonly asked: number;
  /** Questions with an answer that the inside alone cannot give. */
  readonly wrong: readonly string[];
}

/** Calls of tools whose answers depend on what `d` is just now. */
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

/** What a long run asks more often: it starts no process. */
export const oftenOf = (tool: string): number => (tool === 'grep' ? 1 : 12);

/** A directory `real` and a link `away` to what lies outside; either becomes `d`. */
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

/** Exchanges the two over and over until the returned function is called. */
export function exchanging(W: string): () => Promise<void> {
  return racer(`cd ${W}; while :; do mv real d; mv d real; mv away d; mv d away; done`);
}

/**
 * Asks in rounds while the directory is exchanged: at least `atLeast` questions, and for `seconds` where that is not 0.
 * Right is what was answered while nothing moved, in any of the states that a walk can meet, and a refusal that says
 * no more than that something moved.
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
  // Seen under both names, or under none, by a walk that began before and went on after the exchange.
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
        if (allowed[i]?.has(underOneName(told, W)) || isHonestRefusal(told)) continue;
        wrong.add(`${questions[i]?.name} → ${told.whole}`);
      }
    }
  } finally {
    await stop();
  }
  return { asked, wrong: [...wrong] };
}

/** The directory may have its other name by the time when what was opened is asked for its path. */
function underOneName({ whole }: Told, W: string): string {
  // As one path, and name by name in JSON that is a text of JSON.
  const above = basename(W);
  return whole.replaceAll(new RegExp(String.raw`(/${above}/|"${above}\\",\\")d(?=[/"\\])`, 'g'), '$1real');
}

/** One that says no more than that something was exchanged just now. */
function isHonestRefusal({ isError, text, whole }: Told): boolean {
  // The questions of a round come over as many connections, of which the server takes a bounded number.
  if (isError && text.startsWith('Too many connections are open from your address.')) return true;
  const places =
    /^(?:That path|d|real|\S*\/work\/(?:d|real))(?:\/(?:f\.txt|sub|sub\/g\.txt|a\.zip))?(?::m\.txt)?$/;
  const [, path = '', said = ''] =
    /^(That path|\S+) (does not exist|lies outside the directories that may be read|was replaced while it was being opened|goes through (?:something that is not a directory|(?:d|real), which is a file))\./.exec(
      text,
    ) ?? [];
  return isError && said !== '' && places.test(path) && !whole.includes(OUTSIDE_MARK);
}
