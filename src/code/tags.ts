/**
 * The tags of a code file: its symbols, the names that it uses, the modules that it imports. They are serialized as one
 * string for other threads and the cache: cloning a hundred thousand small objects would block the event loop.
 */

import { constants } from 'node:zlib';
import { deflateRawSync, inflateRawSync } from '../process/worker-ending.ts';
import type { UseCaptures } from './grammar/captures.ts';
import type { OutlineResult } from './outline.ts';
import { rowsInOrder, splitLines, type SymbolKind, symbolKinds } from './structure.ts';

/** A symbol of a file. Lines are 1-based and inclusive. */
export interface SymbolTag {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly qualified: string;
  readonly signature: string;
  /** The first sentence of its comment or docstring; empty if there is none. */
  readonly doc: string;
  readonly from: number;
  readonly to: number;
  /** The line of its name. */
  readonly at: number;
  readonly depth: number;
}

/** The lines on which a file uses a name. */
export interface NameUses {
  readonly name: string;
  /** Lines where it stands alone: a called function, a type. */
  readonly plain: readonly number[];
  /** Lines where it follows a dot. */
  readonly member: readonly number[];
}

/** Maximum symbols and names of a file, and lines of a name. */
export const MAX_FILE_TAGS = 5_000;
const MAX_USED_NAMES = 5_000;
const MAX_LINES_OF_NAME = 200;

/** Maximum characters of a name, of a signature, of a sentence. */
export const MAX_TAG_NAME_CHARACTERS = 100;
const MAX_TAG_SIGNATURE_CHARACTERS = 160;
const MAX_TAG_DOC_CHARACTERS = 120;

/** Separators of parts, entries and fields. Names do not contain them. */
const PART = '\x1c';
const ENTRY = '\n';
export const FIELD = '\t';

export function writeTags(text: string, { symbols, uses }: OutlineResult): string {
  const lines = splitLines(text);
  const tags = symbols
    .slice(0, MAX_FILE_TAGS)
    .map(({ kind, name, qualified, signature, from, to, at, depth }) =>
      [
        symbolKinds.indexOf(kind),
        from,
        to,
        at,
        depth,
        clean(name, MAX_TAG_NAME_CHARACTERS),
        scopeOf(qualified, name),
        clean(signature, MAX_TAG_SIGNATURE_CHARACTERS),
        docOf(lines, from, at),
      ].join(FIELD),
    );
  const names = namesUsed(text, uses, namesByLine(symbols));
  return joinTags(tags, names, importsOf(text, uses));
}

/** The serialized entries: symbols, used names, and imports if they are not kept elsewhere. */
export function joinTags(...parts: readonly (readonly string[])[]): string {
  return parts.map((entries) => entries.join(ENTRY)).join(PART);
}

/** Whether a maximum was reached, so that the file may have more symbols or names than its tags. */
function isCut(tags: string): boolean {
  if (tags.length < Math.min(MAX_FILE_TAGS, MAX_USED_NAMES)) return false;
  const [symbols = '', names = ''] = tags.split(PART);
  return symbols.split(ENTRY).length >= MAX_FILE_TAGS || names.split(ENTRY).length >= MAX_USED_NAMES;
}

/** Whether the maximum of lines was reached, so that the file may use the name on more lines. */
export function isUseCut({ plain, member }: NameUses): boolean {
  return plain.length >= MAX_LINES_OF_NAME || member.length >= MAX_LINES_OF_NAME;
}

/** The symbols of a file, in the order of its text. */
export function readSymbols(tags: string): SymbolTag[] {
  return entriesOf(tags, 0).map(tagOf);
}

/** The names that a file uses. */
export function readUses(tags: string): NameUses[] {
  return entriesOf(tags, 1).map((entry) => {
    const [name = '', plain = '', member = ''] = entry.split(FIELD);
    return { name, plain: numbersOf(plain), member: numbersOf(member) };
  });
}

/** The modules that a file imports, as written: `./store.ts`, `os.path`, `linux/list.h`. */
export function readImports(tags: string): string[] {
  return entriesOf(tags, 2);
}

function tagOf(entry: string): SymbolTag {
  const [kind, from, to, at, depth, name = '', scope = '', signature = '', doc = ''] = entry.split(FIELD);
  return {
    kind: symbolKinds[Number(kind)] ?? 'statement',
    name,
    qualified: scope + name,
    signature,
    doc,
    from: Number(from),
    to: Number(to),
    at: Number(at),
    depth: Number(depth),
  };
}

function entriesOf(tags: string, no: number): string[] {
  const part = tags.split(PART)[no] ?? '';
  return part === '' ? [] : part.split(ENTRY);
}

function numbersOf(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The part of a qualified name before the name, with its dot. Of a long one only the innermost names. */
function scopeOf(qualified: string, name: string): string {
  if (qualified === name) return '';
  // A very long qualified name was cut at its end and does not contain the name.
  const scope = qualified.endsWith(`.${name}`) ? qualified.slice(0, -name.length) : `${qualified}.`;
  if (scope.length <= 2 * MAX_TAG_NAME_CHARACTERS) return clean(scope, scope.length);
  const end = scope.slice(-2 * MAX_TAG_NAME_CHARACTERS);
  return clean(end.slice(end.indexOf('.') + 1), end.length);
}

function clean(text: string, most: number): string {
  // oxlint-disable-next-line no-control-regex
  return text.slice(0, most).replace(/[\x00-\x1f]/g, ' ');
}

/** Names of symbols by line. */
function namesByLine(symbols: OutlineResult['symbols']): ReadonlyMap<number, readonly string[]> {
  const names = new Map<number, string[]>();
  for (const { at, name } of symbols) {
    const known = names.get(at);
    if (known) known.push(name);
    else names.set(at, [name]);
  }
  return names;
}

interface Lines {
  readonly name: string;
  readonly plain: Set<number>;
  readonly member: Set<number>;
}

/** The entries of the used names. The declaration of a name does not count as a use. */
function namesUsed(
  text: string,
  uses: UseCaptures,
  declared: ReadonlyMap<number, readonly string[]>,
): string[] {
  const rowOf = rowsInOrder(text);
  const names = new Map<string, Lines>();
  // A cache by the uncleaned name: cleaning is slower than the lookup.
  const asWritten = new Map<string, Lines>();
  const [use, member] = [uses.names.indexOf('use'), uses.names.indexOf('member')];
  let [place, isMember] = [-1, false];
  for (let i = 0; i < uses.count; i += 1) {
    const [capture, start, end] = [uses.capture[i], uses.start[i] as number, uses.end[i] as number];
    if (capture !== use && capture !== member) continue;
    if (start !== place) [place, isMember] = [start, isCapturedAs(member, uses, i)];
    // A name after a dot is captured twice, as a member and as a name.
    if (capture === use && isMember) continue;
    const written = text.slice(start, Math.min(end, start + MAX_TAG_NAME_CHARACTERS));
    const line = rowOf(start) + 1;
    const seen = asWritten.get(written);
    const name = seen?.name ?? clean(written, MAX_TAG_NAME_CHARACTERS);
    if (declared.get(line)?.includes(name)) continue;
    if (!seen && names.size >= MAX_USED_NAMES && !names.has(name)) continue;
    const known = seen ?? names.get(name) ?? { name, plain: new Set(), member: new Set() };
    if (!seen) {
      names.set(name, known);
      asWritten.set(written, known);
    }
    const at = capture === use ? known.plain : known.member;
    if (at.size < MAX_LINES_OF_NAME) at.add(line);
  }
  return [...names.values()].map(({ name, plain, member }) =>
    [name, [...plain].join(' '), [...member].join(' ')].join(FIELD),
  );
}

/** Whether one of the uses that begin at the same offset as use `from`, from that one on, is a `capture`. */
function isCapturedAs(
  capture: number,
  { start, capture: captures, count }: UseCaptures,
  from: number,
): boolean {
  for (let i = from; i < count && start[i] === start[from]; i += 1) if (captures[i] === capture) return true;
  return false;
}

/** The imported modules, and imported names with their module before them. */
function importsOf(text: string, uses: UseCaptures): string[] {
  const imports = new Set<string>();
  let module = '';
  const [whole, part] = [uses.names.indexOf('module'), uses.names.indexOf('imported')];
  for (let i = 0; i < uses.count; i += 1) {
    const [capture, start, end] = [uses.capture[i], uses.start[i] as number, uses.end[i] as number];
    if (capture !== whole && capture !== part) continue;
    const written = text.slice(start, Math.min(end, start + MAX_TAG_SIGNATURE_CHARACTERS));
    if (capture === whole) imports.add((module = seenByFile(moduleOf(written), text, start)));
    else imports.add(`${module}${module.endsWith('.') ? '' : '.'}${clean(written, MAX_TAG_NAME_CHARACTERS)}`);
  }
  return [...imports].slice(0, MAX_USED_NAMES).filter((one) => one !== '');
}

/** Extracts the module from `<stdio.h>`, `"fmt"`, `import scala.util._`, `std::{io, fmt}`, on one line. */
export function moduleOf(written: string): string {
  return clean(written, MAX_TAG_SIGNATURE_CHARACTERS)
    .replace(/^import\s+/, '')
    .replace(/["'<>]/g, '')
    .replace(/(::|\.)(?:[{*].*|_)$/, '')
    .trim();
}

/** `use super::part` of Rust at `start`, as the file would write it: in an inline module, `super` is the file itself. */
export function seenByFile(module: string, text: string, start: number): string {
  if (!/^super\b/.test(module) || !/\s/.test(text[text.lastIndexOf('\n', start) + 1] ?? '')) return module;
  return /^super::super\b/.test(module) ? module.slice('super::'.length) : '';
}

/** The first sentence of the comment directly above line `from`, or of the docstring directly below line `at`. */
function docOf(lines: readonly string[], from: number, at: number): string {
  let first = from - 1;
  const isComment = (line: string | undefined): boolean =>
    /^\s*(?:\/\/|\/\*|\*|#|--|"""|''')/.test(line ?? '');
  while (first > 0 && from - first <= 30 && isComment(lines[first - 1])) first -= 1;
  const above = lines.slice(first, from - 1);
  const inside = /^\s*(?:[rbuRBU]?"""|''')/.test(lines[at] ?? '') ? lines.slice(at, at + 3) : [];
  const sentence = (above.length > 0 ? above : inside)
    .map((line) =>
      line
        .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/[/!]?|#+|--+|[rbuRBU]?"""|''')\s?|\*\/\s*$|"""\s*$/g, '')
        .trim(),
    )
    .filter((line) => line !== '' && !/^[@!\-=*#_]/.test(line))
    .join(' ');
  return clean(/^.*?[.!?](?=\s|$)/.exec(sentence)?.[0] ?? sentence, MAX_TAG_DOC_CHARACTERS);
}

// The tags of a group of files, compressed, with the numbers for ranking in separate arrays: ranking 20,000 files reads
// all numbers, but the tags of only a few files.

/** Plain data for other threads and the cache. Files are identified by their 0-based positions. */
export interface PackedTags {
  /** All tags, joined by `\0` and deflated. */
  readonly packed: Uint8Array;
  /** Characters of all tags. */
  readonly chars: number;
  /** For each file, whether its tags are known: see `KNOWN`. */
  readonly known: Uint8Array;
  /** Hashes of the names that each file declares, then of those that it uses. */
  readonly names: Uint32Array;
  /** How often it uses each; 0 for those that it declares. At most 255. */
  readonly counts: Uint8Array;
  /** Indexes into `names`: for each file the start of its declared and of its used names; finally the end. */
  readonly starts: Uint32Array;
  /** The imports of each file, one on each line; files are joined by `\0`. */
  readonly imports: string;
}

/** The tags of a file are missing, complete, truncated to the first 5,000 symbols and names, or a sketch. */
export const KNOWN = { nothing: 0, all: 1, part: 2, sketch: 3 } as const;

const PACKING = { level: constants.Z_BEST_SPEED };

/** A 32-bit hash of a name (FNV-1a). Of 100,000 names two or three collide, so compare the names themselves too. */
export function hashOf(name: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** The tags of one file, with the numbers for ranking. Hashes are each there once. */
export interface FileTags {
  /** In the format of `writeTags`; of a sketch only symbols, and names without their lines. Empty if the tags are missing. */
  readonly text: string;
  readonly declared: ArrayLike<number>;
  readonly used: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
  readonly imports: readonly string[];
  /** Whether they are from a scan (see sketch.ts). */
  readonly isSketch: boolean;
}

/** `tags`: the result of `writeTags` for a file; empty if its tags are missing. */
function fileTags(tags: string): FileTags {
  const uses = readUses(tags);
  return {
    text: tags,
    declared: [...new Set(readSymbols(tags).map(({ name }) => hashOf(name)))],
    used: uses.map(({ name }) => hashOf(name)),
    counts: uses.map(({ plain, member }) => Math.min(255, plain.length + member.length)),
    imports: readImports(tags),
    isSketch: false,
  };
}

/** `tags`: for each file its sketch, or the result of `writeTags`. */
export function packTags(tags: readonly (string | FileTags)[]): PackedTags {
  const all = tags.map((one) => (typeof one === 'string' ? fileTags(one) : one));
  const size = all.reduce((sum, { declared, used }) => sum + declared.length + used.length, 0);
  const [names, counts] = [new Uint32Array(size), new Uint8Array(size)];
  const starts = [0];
  let at = 0;
  for (const one of all) {
    names.set(one.declared, at);
    starts.push((at += one.declared.length));
    names.set(one.used, at);
    counts.set(one.counts, at);
    starts.push((at += one.used.length));
  }
  const text = all.map((one) => one.text).join('\0');
  return {
    packed: new Uint8Array(deflateRawSync(text, PACKING)),
    chars: text.length,
    known: Uint8Array.from(all, (one) =>
      one.isSketch
        ? KNOWN.sketch
        : one.text === ''
          ? KNOWN.nothing
          : isCut(one.text)
            ? KNOWN.part
            : KNOWN.all,
    ),
    names,
    counts,
    starts: Uint32Array.from(starts),
    imports: all.map(({ imports }) => imports.join('\n')).join('\0'),
  };
}

/** Most bytes of a UTF-16 code unit in UTF-8. */
const UTF8_BYTES = 3;

/** The tags of each file. Throws if they are larger than `chars` says. */
export function unpackTags({ packed, chars }: PackedTags): string[] {
  const maxOutputLength = Math.max(1, chars * UTF8_BYTES);
  return inflateRawSync(packed, { maxOutputLength }).toString().split('\0');
}

/** Hashes of the names that a file declares. */
export function declaredIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file], starts[2 * file + 1]);
}

/** Hashes of the names that a file uses, each once. */
export function usedIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** How often a file uses each of `usedIn`. */
export function countsIn({ counts, starts }: PackedTags, file: number): Uint8Array {
  return counts.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** Their memory, to be moved to another thread. */
export function buffersOf({ packed, known, names, counts, starts }: PackedTags): ArrayBuffer[] {
  return [packed, known, names, counts, starts].map(({ buffer }) => buffer as ArrayBuffer);
}

/** Approximate bytes of memory. */
export function packedTagsBytes({ packed, known, names, counts, starts, imports }: PackedTags): number {
  return packed.length + known.length + names.byteLength + counts.length + starts.byteLength + imports.length;
}
