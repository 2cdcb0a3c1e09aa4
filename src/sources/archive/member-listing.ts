/** The listing of one directory of an archive: its immediate children, sorted, one per line. */

import { binarySize, plural } from '../../render/units.ts';
import { sortInTurns } from '../../text/sort-in-turns.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { Member, MemberType } from './container.ts';
import { childrenOf, type Contents, type Oddity } from './contents.ts';
import { pathParts } from './member-names.ts';
import { nextTurn } from './index-turns.ts';

interface Entry {
  readonly name: string;
  readonly text: string;
}

/** Entries that are described before the event loop gets control again. */
const AT_ONCE = 2_048;

const KINDS: Partial<Record<MemberType, string>> = {
  hardlink: 'hard link',
  fifo: 'fifo',
  device: 'device',
  other: 'special',
};

const ODDITIES: Record<Oddity, (number: string) => string> = {
  outside: () => 'refused: leads out of the archive',
  nameless: (number) => `read as ${number}`,
  long: (number) => `too long or too deep, read as ${number}`,
  shadowed: (number) => `another of this name, read as ${number}`,
};

/** The lines of `directory` (`""` for the root, otherwise ending in `/`); a single line says so if it is empty. */
export async function listDirectory(contents: Contents, directory: string): Promise<Buffer> {
  const entries: Entry[] = [];
  const add = async (entry: Entry): Promise<void> => {
    if (entries.push(entry) % AT_ONCE === 0) await nextTurn();
  };
  for (const { name, at } of childrenOf(contents, directory)) {
    await add({ name, text: at === undefined ? name : describe(name, contents.members[at], []) });
  }
  for (const [at, { why, directory: listedIn }] of contents.odd) {
    if (listedIn !== directory) continue;
    const member = contents.members[at];
    const name =
      why === 'nameless'
        ? '(no name)'
        : quote(why === 'shadowed' ? lastPart(member?.name) : (member?.name ?? ''));
    await add({ name, text: describe(name, member, [ODDITIES[why](`%~${at + 1}`)]) });
  }
  const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const sorted = await sortInTurns(entries, (entry) => entry, byName, nextTurn);
  if (sorted.length === 0) return Buffer.from(directory === '' ? '(empty archive)\n' : '(empty directory)\n');
  const parts: Buffer[] = [];
  for (let at = 0; at < sorted.length; at += AT_ONCE) {
    if (at > 0) await nextTurn();
    const lines = sorted.slice(at, at + AT_ONCE).map(({ text }) => `${text}\n`);
    parts.push(Buffer.from(lines.join('')));
  }
  return Buffer.concat(parts);
}

function lastPart(name = ''): string {
  return pathParts(name)?.at(-1) ?? name;
}

/** `x.ts (1.2 KiB)`, `sl -> /etc/passwd`, `pipe (fifo)`, `key.pem (12 B, encrypted)`. */
function describe(name: string, member: Member | undefined, more: readonly string[]): string {
  const link = member?.link === undefined ? '' : ` -> ${member.link}`;
  const facts = [
    member?.size && link === '' ? binarySize(member.size) : undefined,
    member && KINDS[member.type],
    member?.encrypted ? 'encrypted' : undefined,
    member?.trouble,
    ...more,
  ].filter((fact) => fact !== undefined && fact !== '');
  return `${name}${link}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

/** The notices below every listing of this archive. */
export function listingNotes(contents: Contents, typed: string): Notice[] {
  const notes: Notice[] = [];
  const earlier = [...contents.odd].filter(([, { why }]) => why === 'shadowed');
  const [first] = earlier[0] ?? [];
  if (first !== undefined) {
    const use = `${typed}:%~${first + 1}`;
    notes.push({
      kind: 'said',
      text: `${plural(earlier.length, 'name')} stored more than once: the last copy has the name. Use ${use} for the first of the others`,
      use,
    });
  }
  if (contents.damage)
    notes.push({ kind: 'said', text: `The listing is not complete: ${contents.damage.message}` });
  return notes;
}
