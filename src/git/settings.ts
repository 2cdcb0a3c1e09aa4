/** What a repository itself says about its files: its configuration, and the attributes of paths. Nothing that they name is run. */

import { IgnoreFile } from '../files/glob.ts';

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

  has(key: RegExp): boolean {
    return [...this.#values.keys()].some((one) => key.test(one)) || this.#below?.has(key) === true;
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

/** One file of attributes. Source: gitattributes(5). Macros but `binary` are not known. */
export class AttributesFile {
  readonly #lines: readonly ReadonlyMap<string, AttributeValue>[];
  readonly #patterns = new Map<AttributeName, IgnoreFile>();

  constructor(text: string) {
    const split = text.split('\n').map((line) => {
      const [, quoted, plain, rest = ''] = /^\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))(.*)$/.exec(line) ?? [];
      const pattern = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
      return { pattern: /^(?:#|!|\[attr\])/.test(pattern) ? '' : pattern, values: valuesOf(rest) };
    });
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

function valuesOf(text: string): ReadonlyMap<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const word of text.split(/\s+/)) {
    const [, mark = '', name = '', value] = /^([-!]?)([^=]*)(?:=(.*))?$/.exec(word) ?? [];
    if (name === 'binary' && mark === '') values.set('text', false);
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

/** `find`: the first file of attributes that says something decides. */
export function conversionOf(
  config: GitConfig,
  find: (name: AttributeName) => { readonly value: AttributeValue } | undefined,
): TextConversion {
  const [filter, set, crlf, eol, ident, encoding] = NAMES.map((name) => find(name)?.value);
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
  const isAuto = config.get('core.autocrlf')?.toLowerCase() === 'input' || config.isTrue('core.autocrlf');
  return { lineEnds: isAuto ? 'text' : undefined, undone };
}
