import { mkdtemp, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOriel, type Session } from 'oriel';

interface Edit {
  /** The header of the answer: `¶src/app.ts#41F0`. */
  readonly header: string;
  /** Lines, counted from 1, both included. */
  readonly from: number;
  readonly to: number;
  /** What stands there afterwards; empty to delete. */
  readonly text: string;
}

/** One sentence for the model: what was done, or why nothing was. */
export async function edit(session: Session, cwd: string, { header, from, to, text }: Edit): Promise<string> {
  const [, name = '', tag = ''] = /^¶?(.+)#([0-9A-F]+)$/.exec(header.trim()) ?? [];
  const path = await realpath(resolve(cwd, name)).catch(() => undefined);
  if (path === undefined) return `There is no file for the header ${header}.`;
  const known = await session.snapshots.lines(path, tag, from, to);
  const shown: string[] = [];
  for (let no = from; no <= to; no += 1) {
    const line = known.get(no);
    if (line === undefined)
      return `Line ${no} was not shown under #${tag}. Read ${name}:${from}..${to} first.`;
    shown.push(line);
  }
  if (shown.length === 0) return 'Nothing to replace: from is larger than to.';
  const lines = (await readFile(path, 'utf8')).split(/(?<=\n)/);
  const isAt = (at: number): boolean => shown.every((line, i) => lines[at + i] === line);
  const places = isAt(from - 1) ? [from - 1] : Array.from(lines.keys()).filter(isAt);
  const [at] = places;
  if (at === undefined) return `These lines have changed. Read ${name}:${from}..${to} again.`;
  if (places.length > 1) return `These lines stand in ${places.length} places now. Read ${name} again.`;
  const ending = text === '' || text.endsWith('\n') || at + shown.length === lines.length ? '' : '\n';
  lines.splice(at, shown.length, text + ending);
  const { mode } = await stat(path);
  await writeFile(`${path}.new`, lines.join(''), { mode });
  await rename(`${path}.new`, path);
  return `Replaced lines ${at + 1}-${at + shown.length} of ${name}. Read it again before the next edit.`;
}

const cwd = await mkdtemp(join(tmpdir(), 'edit-'));
const file = join(cwd, 'a.txt');
await writeFile(file, 'one\ntwo\nthree\n');

const oriel = createOriel({ cwd, roots: [cwd], display: 'hashline' });
const { content } = await oriel.tool('read').run({ path: 'a.txt:1..2' });
const [block] = content;
const [header = ''] = block?.type === 'text' ? block.text.split('\n') : [];

await writeFile(file, 'zero\none\ntwo\nthree\n'); // somebody else was here
const done = await edit(oriel.session, cwd, { header, from: 2, to: 2, text: 'TWO' });
const refused = await edit(oriel.session, cwd, { header, from: 3, to: 3, text: 'THREE' });
console.log({ moved: done.startsWith('Replaced lines 3-3 of a.txt') }); // { moved: true }
console.log({ refused: refused.startsWith('Line 3 was not shown') }); // { refused: true }
console.log({ now: await readFile(file, 'utf8') }); // { now: 'zero\none\nTWO\nthree\n' }
await oriel.close();
