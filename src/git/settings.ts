/** What a repository itself says about its files: its configuration, and the attributes of paths. Nothing that they name is run. */

import { IgnoreFile } from '../files/glob.ts';
import type { TreeEntry } from './trees.ts';

/** A configuration file. Source: git-config(1), "Syntax". Files that it includes are not read. */
export class GitConfig {
  /** By section, subsection and name, joined by dots; the first and the last in lower case. The last value is the first one. */
  readonly #values = new Map<string, string[]>();
  readonly #below: GitConfig | undefined;

  /** `below`: what is not set here is looked for there. */
  constructor(text: string, below?: GitConfig) {
    this.#below = below;
    let section = '';
    for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
      const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
      if (head)
        section = [head[1]?.toLowerCase(), head[2]?.replace(/\\(.)/g, '$1')].filter(Boolean).join('.');
      const [, name, , value] = /^\s*([a-z][\w-]*)\s*(=(.*))?$/i.exec(head?.[3] ?? line) ?? [];
      if (name === undefined || section === '') continue;
      const key = `${section}.${name.toLowerCase()}`;
      this.#values.set(key, [
        value === undefined ? 'true' : valueOf(value),
        ...(this.#values.get(key) ?? []),
      ]);
    }
  }

  get(key: string): string | undefined {
    return this.all(key)[0];
  }

  all(key: string): readonly string[] {
    return this.#values.get(key) ?? this.#below?.all(key) ?? [];
  }

  isTrue(key: string): boolean {
    return /^(?:true|yes|on|[1-9]\d*)$/i.test(this.get(key) ?? '');
  }

  isFalse(key: string): boolean {
    return /^(?:false|no|off|0|)$/i.test(this.get(key) ?? 'true');
  }

  /** What is set in this file. */
  get keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  has(key: RegExp): boolean {
    return this.keys.some((one) => key.test(one)) || this.#below?.has(key) === true;
  }
}

/** Without quotes and the comment behind it. */
function valueOf(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };
  let value = '';
  let isQuoted = false;
  for (const [part] of text.trim().matchAll(/\\.|[^\\]/gs)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[#;]/.test(part)) return value.trimEnd();
    else value += part.length === 2 ? (escapes[part.charAt(1)] ?? part.charAt(1)) : part;
  }
  return value;
}

/** Attributes that change what git stores of a file. */
const NAMES = ['filter', 'text', 'crlf', 'eol', 'ident', 'working-tree-encoding'] as const;

type AttributeName = (typeof NAMES)[number];

/** `true` and `false` if it is set or unset; undefined if nothing is said, or it is unspecified on purpose. */
type AttributeValue = string | boolean | undefined;

/** The attributes for which a macro stands, as they are written, by its name. */
type AttributeMacros = Map<string, string>;

/** One file of attributes. Source: gitattributes(5). */
class AttributesFile {
  readonly #lines: readonly ReadonlyMap<string, AttributeValue>[];
  readonly #patterns = new Map<AttributeName, IgnoreFile>();

  /** `isTop`: the macros of the file are added to `macros`, unless one of that name is there. */
  constructor(text: string, macros: AttributeMacros, isTop: boolean) {
    const lines = text.split('\n').map((line) => {
      const [, quoted, plain, rest = ''] = /^\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))(.*)$/.exec(line) ?? [];
      return { pattern: quoted === undefined ? (plain ?? '') : unquotedName(quoted), rest };
    });
    for (const { pattern, rest } of isTop ? lines.toReversed() : []) {
      const name = pattern.startsWith(MACRO) ? pattern.slice(MACRO.length) : '';
      // A macro with the name of an attribute changes nothing: the attribute itself counts first.
      const isOwn = (NAMES as readonly string[]).includes(name);
      if (name !== '' && !isOwn && !macros.has(name)) macros.set(name, rest);
    }
    const split = lines.map(({ pattern, rest }) => ({
      pattern: /^(?:#|!|\[attr\])/.test(pattern) ? '' : pattern,
      values: valuesOf(rest, macros),
    }));
    this.#lines = split.map(({ values }) => values);
    for (const name of NAMES) {
      const patterns = split.map(({ pattern, values }) => (values.has(name) ? pattern : ''));
      if (patterns.some((one) => one !== '')) this.#patterns.set(name, new IgnoreFile(patterns));
    }
  }

  /** Of a file, by its path from the directory of this one (UTF-8). Undefined if nothing is said about it. */
  find(name: AttributeName, path: string): { readonly value: AttributeValue } | undefined {
    const line = this.#patterns.get(name)?.lastRule(path, false);
    return line && { value: this.#lines[line.rank]?.get(name) };
  }
}

const MACRO = '[attr]';

/** A name without the escapes that git writes in quotes: bytes of UTF-8 in octal digits, signs, and letters for controls. */
export function unquotedName(name: string): string {
  const bytes = Buffer.from(name).toString('latin1');
  const plain = bytes.replace(/\\([0-3][0-7]{2}|[^])/g, (_, code: string) =>
    code.length === 3
      ? String.fromCharCode(Number.parseInt(code, 8))
      : ('\x07\b\f\n\r\t\v'['abfnrtv'.indexOf(code)] ?? code),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}

function valuesOf(
  text: string,
  macros: AttributeMacros,
  values = new Map<string, AttributeValue>(),
  expanded = new Set<string>(),
): ReadonlyMap<string, AttributeValue> {
  for (const word of text.split(/\s+/)) {
    const [, mark = '', name = '', value] = /^([-!]?)([^=]*)(?:=(.*))?$/.exec(word) ?? [];
    // What of the built-in macro changes something here. A file may define it anew.
    const builtIn = name === 'binary' ? '-text' : undefined;
    const macro = name === word && !expanded.has(name) ? (macros.get(name) ?? builtIn) : undefined;
    if (macro !== undefined) valuesOf(macro, macros, values, expanded.add(name));
    else if (name !== '') values.set(name, mark === '!' ? undefined : mark === '-' ? false : (value ?? true));
  }
  return values;
}

/** How git would change a file before it stores it. */
export interface TextConversion {
  /** The lines end in LF: of every file, or of one that is text and has no CR in the index. */
  readonly lineEnds: 'all' | 'text' | undefined;
  /** What is not done here, as the end of a sentence: a program would have to be started, or an encoding guessed. */
  readonly undone: string | undefined;
}

/** The attributes of the files of a work tree. */
export class PathAttributes {
  readonly #config: GitConfig;
  readonly #read: (front: string | undefined) => string | undefined;
  readonly #files = new Map<string | undefined, AttributesFile | undefined>();
  readonly #macros: AttributeMacros = new Map();

  /** `read`: the attributes in the directory `front` (UTF-8, with a slash behind it), or those of the repository. */
  constructor(config: GitConfig, read: (front: string | undefined) => string | undefined) {
    this.#config = config;
    this.#read = read;
  }

  /** `path` is UTF-8, from the top of the work tree. */
  conversionOf(path: string): TextConversion {
    const parents = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
    // The macros of the first two count in all files: they are read first.
    const files = [undefined, '', ...parents].map((front) => ({ front, file: this.#fileIn(front) }));
    // The first file that says something decides.
    const valueFor = (name: AttributeName): AttributeValue => {
      for (const { front = '', file } of [...files.slice(0, 1), ...files.slice(1).toReversed()]) {
        const found = file?.find(name, path.slice(front.length));
        if (found) return found.value;
      }
      return undefined;
    };
    const [filter, set, crlf, eol, ident, encoding] = NAMES.map(valueFor);
    const undone =
      typeof filter === 'string'
        ? `filter ${filter}`
        : ident === true
          ? 'ident'
          : typeof encoding === 'string'
            ? `encoding ${encoding}`
            : undefined;
    const text = set ?? (crlf === 'input' ? true : crlf);
    if (text === true) return { lineEnds: 'all', undone };
    if (text === false) return { lineEnds: undefined, undone };
    if (text === 'auto') return { lineEnds: 'text', undone };
    if (eol === 'lf' || eol === 'crlf') return { lineEnds: 'all', undone };
    const isAuto =
      this.#config.get('core.autocrlf')?.toLowerCase() === 'input' || this.#config.isTrue('core.autocrlf');
    return { lineEnds: isAuto ? 'text' : undefined, undone };
  }

  #fileIn(front: string | undefined): AttributesFile | undefined {
    if (!this.#files.has(front)) {
      const text = this.#read(front);
      const isTop = front === undefined || front === '';
      this.#files.set(front, text === undefined ? undefined : new AttributesFile(text, this.#macros, isTop));
    }
    return this.#files.get(front);
  }
}

const CRLF = '\r\n';

/** The bytes of a file with LF where it has CRLF. */
export function withoutCarriageReturns(bytes: Buffer): Buffer {
  return bytes.includes(CRLF)
    ? Buffer.from(bytes.toString('latin1').replaceAll(CRLF, '\n'), 'latin1')
    : bytes;
}

/** Whether it is text for git, and has CRLF. */
export function isTextWithCrlf(bytes: Buffer): boolean {
  return bytes.includes(CRLF) && !isBinaryForGit(bytes);
}

/** As git decides it for line ends. Source: `convert_is_binary` in convert.c. */
function isBinaryForGit(bytes: Buffer): boolean {
  let [printable, other] = [0, 0];
  for (const [i, byte] of bytes.entries()) {
    if (byte === 0 || (byte === 13 && bytes[i + 1] !== 10)) return true;
    if (byte === 127 || (byte < 32 && ![8, 9, 10, 12, 13, 27].includes(byte))) other += 1;
    else if (byte !== 10 && byte !== 13) printable += 1;
  }
  if (bytes.at(-1) === 26) other -= 1;
  return printable >> 7 < other;
}

/** The mode that git would store of a file or link with this one. `before`: what is in the index. */
export function storedMode(
  config: GitConfig,
  kind: 'file' | 'link',
  mode: number,
  before: TreeEntry,
): string {
  if (kind === 'link') return '120000';
  if (before.kind === 'link' && config.isFalse('core.symlinks')) return before.mode;
  if (config.isFalse('core.filemode')) return before.kind === 'file' ? before.mode : '100644';
  return (mode & 0o100) !== 0 ? '100755' : '100644';
}
