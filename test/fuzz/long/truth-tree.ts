/** Small trees of files that a search finds, leaves out or cannot read, and what is in them. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tar } from '../../support/tar.ts';
import { Random } from './random.ts';

/** Why a search leaves an entry out, as in `details.leftOut`; `denied` is only in the text. */
export type LeftReason =
  | 'ignored'
  | 'private'
  | 'link'
  | 'special'
  | 'binary'
  | 'garbled'
  | 'undecoded'
  | 'container'
  | 'denied';

export interface PlantedEntry {
  readonly kind: 'directory' | 'file' | 'link' | 'special';
  /** Each character is a byte. */
  readonly name: string;
  /** What a reader of the text sees; empty for other kinds. */
  readonly text: string;
  /** Why its text is not searched. */
  readonly why?: LeftReason | undefined;
  readonly below: readonly PlantedEntry[];
  /** The lines of its ignore files. */
  readonly rules: Readonly<Record<'.ignore' | '.gitignore', readonly string[]>>;
}

const NO_RULES = { '.ignore': [], '.gitignore': [] } as const;

/** Rules of ignore files, and what they match: `path` is relative to the directory of the file. */
export const RULES: Readonly<Record<string, (path: string, isDirectory: boolean) => boolean>> = {
  '*.log': (path) => path.endsWith('.log'),
  'build/': (path, isDirectory) => isDirectory && /(?:^|\/)build$/.test(path),
  '/top.txt': (path) => path === 'top.txt',
  'src/deep': (path) => path === 'src/deep',
  '.*': (path) => /(?:^|\/)\.[^/]*$/.test(path),
  '*.md': (path) => path.endsWith('.md'),
  '!keep.log': (path) => /(?:^|\/)keep\.log$/.test(path),
  '!/a.md': (path) => path === 'a.md',
};

/** Globs below the working directory of `--deny`. */
export const PRIVATE = ['*.secret', 'private/'];

export const isPrivateName = (name: string, isDirectory: boolean): boolean =>
  name.endsWith('.secret') || (isDirectory && name === 'private');

const DIRECTORIES = ['src', 'deep', 'build', '[slug]', '.hidden', 'private', 'a b', 'd\xff', 'locked'];
const FILES = [
  ...'a.ts b.ts a.md c.md c.log keep.log top.txt locked.txt .env e:1.txt x.secret data.bin noext'.split(' '),
  'f g.txt',
  'bad-\xff.txt',
  'new\nline.ts',
  '~t.ts',
  '-o.md',
];
const LINES = [
  'export function needle() {}',
  'a needle, and a needle',
  'another line',
  'Übung: needle',
  'eine Übung',
  'Привет needle 日本語テキスト',
  '日本 needle',
  '',
];

/** Makes the tree with that number in a directory that does not exist. */
export function plantTree(at: string, number: number): PlantedEntry {
  const random = new Random();
  random.begin(0x7ee, number);
  return plantDirectory(Buffer.from(`${at}`), '', 0, random);
}

/** The bytes of a path below `at`. */
const below = (at: Buffer, name: string): Buffer => Buffer.concat([at, Buffer.from(`/${name}`, 'latin1')]);

function plantDirectory(at: Buffer, name: string, depth: number, random: Random): PlantedEntry {
  mkdirSync(at);
  const entries = new Map<string, PlantedEntry>();
  const rules = { '.ignore': rulesFrom(random, 8), '.gitignore': rulesFrom(random, depth === 0 ? 2 : 4) };
  for (const [file, lines] of Object.entries(rules)) {
    if (lines.length === 0) continue;
    const text = `${lines.join('\n')}\n`;
    writeFileSync(below(at, file), text);
    entries.set(file, { kind: 'file', name: file, text, below: [], rules: NO_RULES });
  }
  for (let left = random.below(8); left > 0; left -= 1) {
    const name = random.pick(FILES);
    if (!entries.has(name)) entries.set(name, plantFile(below(at, name), name, random));
  }
  for (let left = depth < 3 ? random.below(4) : 0; left > 0; left -= 1) {
    const name = random.pick(DIRECTORIES);
    if (!entries.has(name)) entries.set(name, plantDirectory(below(at, name), name, depth + 1, random));
  }
  if (random.below(4) === 0) {
    const to = random.pick([...entries.keys(), 'gone']);
    symlinkSync(Buffer.from(to, 'latin1'), below(at, 'link.ts'));
    const target = entries.get(to);
    const { text = '', why } = target ?? {};
    entries.set('link.ts', {
      kind: 'link',
      name: 'link.ts',
      text,
      why,
      below: target?.below ?? [],
      rules: NO_RULES,
    });
  }
  if (random.below(12) === 0 && !at.includes(0xff)) {
    execFileSync('mkfifo', [join(at.toString(), 'pipe.ts')]);
    entries.set('pipe.ts', { kind: 'special', name: 'pipe.ts', text: '', below: [], rules: NO_RULES });
  }
  const isLocked = name === 'locked' && process.getuid?.() !== 0;
  if (isLocked) chmodSync(at, 0);
  return {
    kind: 'directory',
    name,
    text: '',
    why: isLocked ? 'denied' : undefined,
    below: [...entries.values()],
    rules,
  };
}

function rulesFrom(random: Random, rarity: number): string[] {
  if (random.below(rarity) > 0) return [];
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(Object.keys(RULES)));
}

function plantFile(at: Buffer, name: string, random: Random): PlantedEntry {
  const lines = Array.from({ length: random.below(5) }, () => random.pick(LINES));
  const text = lines.map((line) => `${line}\n`).join('');
  const [bytes, why, shown = text] = storedAs(text, random);
  writeFileSync(at, bytes);
  const isLocked = name === 'locked.txt' && process.getuid?.() !== 0;
  if (isLocked) chmodSync(at, 0);
  return { kind: 'file', name, text: shown, why: isLocked ? 'denied' : why, below: [], rules: NO_RULES };
}

/** The bytes of a file with that text, why they are not searched, and the text that is found instead. */
function storedAs(
  text: string,
  random: Random,
): readonly [bytes: Uint8Array, why?: LeftReason | undefined, shown?: string] {
  const utf16 = Buffer.from(text, 'utf16le');
  const big = Buffer.from(utf16).swap16();
  const marked = (mark: number[], bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from(mark), bytes]);
  switch (random.below(18)) {
    case 0:
      return [Buffer.from(text.replaceAll('\n', '\r\n'))];
    case 1:
      return [marked([0xef, 0xbb, 0xbf], Buffer.from(text))];
    case 2:
      return [marked([0xff, 0xfe], utf16)];
    case 3:
      return [marked([0xfe, 0xff], big)];
    // Without a mark it is decoded or counted.
    case 4:
      return [utf16, 'binary'];
    case 5:
      return [big, 'binary'];
    case 6:
      return [Buffer.from(`${text}\0${text}`), 'garbled', text];
    case 7:
      return [
        Buffer.concat([Buffer.from('\x7fELF\0\0\0\x01\x02\x03\0\0\xff\xfe'), Buffer.from(text)]),
        'binary',
      ];
    case 8:
      return [Buffer.from(`${'.\n'.repeat(2_200)}${text}\0\n`), undefined, `${'.\n'.repeat(2_200)}${text}`];
    case 9:
      return [gzipSync(text), 'container'];
    case 10:
      return [tar([{ name: 'in/side.txt', content: text }]), 'container'];
    // A legacy encoding is guessed, or the text is counted.
    case 11:
      return /[^\0-\xff]/.test(text) ? [Buffer.from(text)] : [Buffer.from(text, 'latin1'), 'undecoded'];
    default:
      return [Buffer.from(text)];
  }
}
