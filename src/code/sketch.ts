/**
 * Sketches of code: a scanner of characters and words that tells roughly what a file declares, uses and imports, many times
 * faster than a grammar. Maps, questions and `:#NAME` choose files by their sketches and parse only those that they show.
 */

import { MIN_LONG_LINE_CHARACTERS } from './languages.ts';
import { manifestLines } from './manifest.ts';
import { type ScannedSymbol, type SymbolKind, symbolKinds } from './structure.ts';
import {
  FIELD,
  type FileTags,
  hashOf,
  joinTags,
  MAX_FILE_TAGS,
  MAX_TAG_NAME_CHARACTERS,
  moduleOf,
  readSymbols,
  seenByFile,
} from './tags.ts';

/** How a language writes what is scanned for. Words are separated by spaces. */
interface SketchRules {
  /** Comments to the end of the line begin with one of these characters (`/` is doubled). */
  readonly comments: string;
  /** Quotes of strings that end on their line, and quotes of strings over several lines. */
  readonly quotes: string;
  readonly raw?: string | undefined;
  /** Whether `'` quotes one character. */
  readonly isCharQuoted?: boolean | undefined;
  /** Words before a declared name, and what they declare. */
  readonly declaring: Readonly<Partial<Record<SymbolKind, string>>>;
  /** Whether `name(…) {` declares a function; with `prototypes` also `type name(…);`. */
  readonly calls?: 'bodies' | 'prototypes' | undefined;
  /** The words before an import, and how it is written: as a string, or up to the end of the statement. */
  readonly importing?: string | undefined;
  readonly imports?: 'string' | 'rest' | 'python' | undefined;
}

const ecma: SketchRules = {
  comments: '/',
  quotes: `"'`,
  raw: '`',
  declaring: {
    class: 'class',
    function: 'function',
    interface: 'interface',
    enum: 'enum',
    module: 'namespace',
    type: 'type',
    constant: 'const let var',
  },
  calls: 'bodies',
  importing: 'import from require',
  imports: 'string',
};

const c: SketchRules = {
  comments: '/',
  quotes: '"',
  isCharQuoted: true,
  declaring: { class: 'class', struct: 'struct union', enum: 'enum', module: 'namespace', type: 'using' },
  calls: 'prototypes',
};

/** By the name of the language: those that are `isSketched`, and those that a scan mends where a grammar fails. */
const RULES: Readonly<Record<string, SketchRules>> = {
  typescript: ecma,
  tsx: ecma,
  javascript: ecma,
  python: {
    comments: '#',
    quotes: `"'`,
    declaring: { class: 'class', function: 'def' },
    importing: 'import from',
    imports: 'python',
  },
  go: {
    comments: '/',
    quotes: '"',
    raw: '`',
    isCharQuoted: true,
    declaring: { function: 'func', type: 'type', constant: 'const', variable: 'var' },
    importing: 'import',
    imports: 'string',
  },
  rust: {
    comments: '/',
    quotes: '"',
    isCharQuoted: true,
    declaring: {
      function: 'fn',
      struct: 'struct union',
      enum: 'enum',
      trait: 'trait',
      impl: 'impl',
      module: 'mod',
      type: 'type',
      constant: 'const static',
    },
    importing: 'use',
    imports: 'rest',
  },
  java: {
    comments: '/',
    quotes: '"',
    isCharQuoted: true,
    declaring: { class: 'class record', interface: 'interface', enum: 'enum' },
    calls: 'bodies',
    importing: 'import',
    imports: 'rest',
  },
  kotlin: {
    comments: '/',
    quotes: '"',
    isCharQuoted: true,
    declaring: { class: 'class object', interface: 'interface', function: 'fun', constant: 'val var' },
    importing: 'import',
    imports: 'rest',
  },
  scala: {
    comments: '/',
    quotes: '"',
    isCharQuoted: true,
    declaring: { class: 'class object', trait: 'trait', function: 'def', constant: 'val var' },
    importing: 'import',
    imports: 'rest',
  },
  csharp: {
    comments: '/',
    quotes: '"',
    isCharQuoted: true,
    declaring: {
      class: 'class record',
      struct: 'struct',
      interface: 'interface',
      enum: 'enum',
      module: 'namespace',
    },
    calls: 'bodies',
    importing: 'using',
    imports: 'rest',
  },
  c,
  cpp: c,
  php: {
    comments: '/#',
    quotes: `"'`,
    declaring: { class: 'class', interface: 'interface', trait: 'trait', enum: 'enum', function: 'function' },
    importing: 'use',
    imports: 'rest',
  },
  ruby: {
    comments: '#',
    quotes: `"'`,
    declaring: { class: 'class', module: 'module', function: 'def' },
    importing: 'require require_relative autoload',
    imports: 'string',
  },
  bash: { comments: '#', quotes: `"'`, declaring: { function: 'function' }, calls: 'bodies' },
  lua: {
    comments: '-',
    quotes: `"'`,
    declaring: { function: 'function' },
    importing: 'require',
    imports: 'string',
  },
};

/** Words that neither name anything nor declare. */
const PLAIN_WORDS =
  'if else for while do switch case default break continue return try catch finally throw throws new delete in of is as ' +
  'and or not null nil None true false True False this self super void async await yield static public private ' +
  'protected final abstract override export extends implements extern inline virtual template typename typedef go defer ' +
  'chan map range select struct elif except with lambda pass raise global end then elsif unless until local mut pub where ' +
  'match loop foreach lock synchronized sizeof instanceof typeof';

/** What a character is; 0: anything else. */
const WORD = 1;
const NEWLINE = 2;
const SPACE = 3;
const COMMENT = 4;
const QUOTE = 5;
const RAW = 6;
const MARK = 7;

/** Slots of the table of words with a meaning. A meaning is at least -2; with `MEANT` it is above 0. */
const MEANINGS = 512;
const MEANT = 3;

class Sketcher {
  readonly classes = new Uint8Array(128);
  readonly rules: SketchRules;
  readonly isEcma: boolean;
  readonly isC: boolean;
  readonly isGo: boolean;
  /** `$#` in parentheses is no comment, which would hide their end. */
  readonly isShell: boolean;
  readonly isPython: boolean;
  /** The meanings of words by their hashes: a kind of symbol, `PLAIN`, `IMPORTING`. */
  readonly words = new Int32Array(2 * MEANINGS);

  constructor(language: string, rules: SketchRules) {
    this.rules = rules;
    [this.isEcma, this.isC] = [rules === ecma, rules === c];
    [this.isGo, this.isPython] = [language === 'go', language === 'python'];
    this.isShell = language === 'bash';
    const { comments, quotes, raw = '', declaring, importing = '' } = rules;
    for (let i = 0; i < 128; i += 1) if (/[\w$]/.test(String.fromCharCode(i))) this.classes[i] = WORD;
    const set = (characters: string, to: number): void => {
      for (const one of characters) this.classes[one.charCodeAt(0)] = to;
    };
    set(' \t\r', SPACE);
    set('\n', NEWLINE);
    set(`/#${comments}`, COMMENT);
    set(`'${quotes}`, QUOTE);
    set(raw, RAW);
    set('{}();=,:.<*', MARK);
    for (const word of PLAIN_WORDS.split(' ')) this.#mean(word, PLAIN);
    for (const [kind, all] of Object.entries(declaring))
      for (const word of all.split(' ')) this.#mean(word, symbolKinds.indexOf(kind as SymbolKind));
    for (const word of importing.split(' ')) this.#mean(word, IMPORTING);
  }

  #mean(word: string, meaning: number): void {
    const hash = hashOf(word) | 0;
    let slot = hash & (MEANINGS - 1);
    while (this.words[2 * slot + 1] !== 0 && this.words[2 * slot] !== hash)
      slot = (slot + 1) & (MEANINGS - 1);
    this.words[2 * slot] = hash;
    // 0 is no meaning.
    this.words[2 * slot + 1] = meaning + MEANT;
  }
}

const PLAIN = -1;
const IMPORTING = -2;
const [FUNCTION, TYPE, MODULE, CONSTANT, VARIABLE, MACRO] = (
  ['function', 'type', 'module', 'constant', 'variable', 'macro'] as const
).map((kind) => symbolKinds.indexOf(kind)) as [number, number, number, number, number, number];

const sketchers = new Map<string, Sketcher>();

/** The names that were used, as a hash table that is emptied by a new generation. */
const SLOTS = 1 << 14;
const MAX_NAMES = 5_000;
const slotHash = new Int32Array(SLOTS);
const slotText = new Int32Array(SLOTS);
const slotName = new Int32Array(SLOTS);
const usedHash = new Uint32Array(MAX_NAMES);
const usedCount = new Uint8Array(MAX_NAMES);
const usedLine = new Int32Array(MAX_NAMES);
/** The offset of each where it was used first. */
const usedAt = new Int32Array(MAX_NAMES);
let generation = 0;
let used = 0;

// The hot loops are functions of their own: V8 optimizes them early, and keeps them so, whatever else a text has.

/** The hash (see tags.ts) of the last word that was passed. */
let wordHash = 0;

/** Passes a word, of which the characters are `WORD` or not ASCII, and returns the offset after it. */
function endOfWord(text: string, start: number, classes: Uint8Array): number {
  const length = text.length;
  let hash = 0x81_1c_9d_c5 | 0;
  let to = start;
  for (; to < length; to += 1) {
    const code = text.charCodeAt(to);
    if (code < 128 && classes[code] !== WORD) break;
    hash = Math.imul(hash ^ code, 0x01_00_01_93);
  }
  wordHash = hash;
  return to;
}

/** A value of the table `words`; -`MEANT` for a word that is not in it. */
function meaningOf(hash: number, words: Int32Array): number {
  let slot = hash & (MEANINGS - 1);
  while (words[2 * slot + 1] !== 0 && words[2 * slot] !== hash) slot = (slot + 1) & (MEANINGS - 1);
  return (words[2 * slot + 1] as number) - MEANT;
}

/** Counts the lines that use a name, here from offset `start`. */
function noteUse(hash: number, row: number, start: number): void {
  let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  while (slotText[slot] === generation && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1);
  if (slotText[slot] === generation) {
    const name = slotName[slot] as number;
    if (usedLine[name] === row) return;
    usedLine[name] = row;
    if ((usedCount[name] as number) < 255) usedCount[name] = (usedCount[name] as number) + 1;
  } else if (used < MAX_NAMES) {
    slotText[slot] = generation;
    slotHash[slot] = hash;
    slotName[slot] = used;
    usedHash[used] = hash;
    usedCount[used] = 1;
    usedLine[used] = row;
    usedAt[used] = start;
    used += 1;
  }
}

/** Of each line of the text its start, and its indentation; -1 if it has no code. */
let starts = new Int32Array(1 << 12);
let indents = new Int32Array(1 << 12);

/** Makes room for the lines of a text; false if it is minified. */
function makeRoom(text: string): boolean {
  let [rows, long] = [0, 0];
  for (let start = 0; start <= text.length; rows += 1) {
    const at = text.indexOf('\n', start);
    const end = at === -1 ? text.length : at;
    if (end - start > MIN_LONG_LINE_CHARACTERS) long += end - start;
    start = end + 1;
  }
  if (rows > starts.length) {
    starts = new Int32Array(2 * rows);
    indents = new Int32Array(2 * rows);
  }
  return long <= text.length / 2;
}

interface Declared {
  readonly kind: number;
  readonly name: string;
  /** 0-based. */
  readonly row: number;
}

/** Symbols that are nested deeper are declared names only. */
const MAX_SKETCHED_DEPTH = 2;

const FUNCTION_VALUE =
  /\s{0,9}(?::[^=;\n]{0,200})?=\s{0,9}(?:async\b\s{0,9})?(?:function\b|\([^()\n]{0,200}\)\s{0,9}(?::[^=\n]{0,80})?=>|[\w$]{1,99}\s{0,9}=>)/y;
const C_BODY = /\s+(?:[A-Z_][A-Z0-9_]*\s+)?([A-Za-z_]\w*)\s*(?:final\s*)?(?::(?!:)[^{};()]{0,300})?\{/y;
const INCLUDE = /[ \t]*include[ \t]*["<]([^">\n]{1,160})/y;
const DEFINE = /[ \t]*define[ \t]+(\w+)\(/y;
const PYTHON_FROM = /[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(([^)#]{0,4000})|([^#\n]{0,400}))/y;
const PYTHON_IMPORT = /[ \t]+([^#\n]{1,400})/y;
const REST = /[^;\n]{1,400}/y;
/** What stands before the name of a declared function on its line. */
const HEAD = /^\s*(?!\s|(?:return|else|throw|new|await|yield|case|goto|co_return)\b)[\w\s$*&:<>~#@.,[\]]*$/;
const TYPED_HEAD =
  /^\s*(?!(?:return|else|throw|new|delete|case|goto|co_return|using|typedef)\b)[\w:<>,][\w\s*&:<>,[\]]*[\s*&]$/;

/** The same of an import, and of a type in JavaScript. */
const IMPORT_HEAD = /^\s*(?:(?:pub(?:\([^)]*\))?|global)\s+)?$/;
const TYPE_HEAD = /^\s*(?:export\s+|declare\s+)*$/;

/** Maximum characters of a receiver in Go. */
const MAX_BRACKETED = 200;
/** A part of a name behind a dot or colon. */
const NAME_AFTER = /[.:]\w[\w$\u0080-\uffff]*/y;
const BRACKETED = /(<[^>\n]{0,198})>/y;

function at(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

function declare(declared: Declared[], kind: number, name: string, row: number): void {
  if (declared.length < MAX_FILE_TAGS && name.length <= MAX_TAG_NAME_CHARACTERS)
    declared.push({ kind, name, row });
}

/** The indentation of a line of code; -1 of a blank one. */
function indentOf(text: string, from: number): number {
  const length = text.length;
  let to = from;
  for (; to < length; to += 1) {
    const next = text.charCodeAt(to);
    if (next === 10 || next === 13) return -1;
    if (next !== 32 && next !== 9) return to - from;
  }
  return -1;
}

/** Notes the lines that begin inside a string or comment, and returns the row at its end. */
function passLines(text: string, from: number, to: number, row: number): number {
  let last = row;
  for (let end = text.indexOf('\n', from); end !== -1 && end < to; end = text.indexOf('\n', end + 1)) {
    last += 1;
    starts[last] = end + 1;
    indents[last] = -1;
  }
  return last;
}

function wordAt(text: string, start: number): string {
  return at(WORD_THERE, text, start)?.[0] ?? '';
}

/** Whether a declaration may follow what its line has before it. */
function isHead(pattern: RegExp, text: string, from: number, to: number): boolean {
  return to - from <= 300 && pattern.test(text.slice(from, to));
}

const WORD_THERE = /[\w$\u0080-\uffff]+/y;

/**
 * The tags of a code file as far as a scan tells them; undefined if it is binary or minified. `language`: one that
 * `isSketched`. Takes linear time.
 */
export function sketch(text: string, language: string): FileTags | undefined {
  let known = sketchers.get(language);
  if (!known) sketchers.set(language, (known = new Sketcher(language, RULES[language] as SketchRules)));
  if (text.includes('\0') || !makeRoom(text)) return undefined;
  generation += 1;
  used = 0;
  const { declared, imports, rows } = new SketchScan(text, known).run();
  return {
    text: joinTags(symbolsOf(text, declared, rows), usedNames(text)),
    declared: Uint32Array.from(new Set(declared.map(({ name }) => hashOf(name)))),
    used: usedHash.slice(0, used),
    counts: usedCount.slice(0, used),
    imports: [...imports].filter((one) => one !== ''),
    isSketch: true,
  };
}

/** The symbols of a text as far as a scan tells them; none of a language that is not scanned. */
export function sketchedSymbols(text: string, language: string): ScannedSymbol[] {
  const found = RULES[language] && sketch(text, language);
  if (!found) return [];
  const lines = text.split('\n');
  return readSymbols(found.text).map(({ kind, name, from, to, at }) => ({
    kind,
    name,
    signature: (lines[from - 1] ?? '').replace(/\s*\{?\s*$/, ''),
    from,
    to,
    at,
  }));
}

/**
 * The tags of a file that is not code (see `isTagged`). Of a component what its script uses and imports; of a manifest, in
 * place of imports, its lines (see manifest.ts).
 */
export function importTags(text: string, language: string): FileTags {
  const none = { text: joinTags([], []), declared: [], used: [], counts: [], imports: [], isSketch: false };
  if (language === 'html') {
    const scripts = text.split('</script').flatMap((part) => {
      const from = part.indexOf('<script');
      return from === -1 ? [] : [part.slice(part.indexOf('>', from) + 1)];
    });
    const script = scripts.join('\n');
    const found = sketch(script, 'typescript');
    return found ? { ...found, text: joinTags([], usedNames(script)), declared: [], isSketch: false } : none;
  }
  return { ...none, imports: manifestLines(text, language).slice(0, MAX_NAMES) };
}

/** One pass over a text. Each kind of character has a method, which V8 optimizes by itself: one function of them all takes as long. */
class SketchScan {
  readonly declared: Declared[] = [];
  readonly imports = new Set<string>();
  readonly #text: string;
  readonly #by: Sketcher;
  #at = 0;
  #row = 0;
  /** The kind that the next name declares; `PLAIN`: none. */
  #pending = PLAIN;
  #isImport = false;
  #isImportBlock = false;
  /** The last character that is no space; `WORD` after a word or string. */
  #last = 0;
  /** The last word that may be called. `start`: -1 if there is none. */
  #wordStart = -1;
  #wordEnd = -1;
  #wordRow = 0;
  /** The start of the word before each open parenthesis, or -1, and its row. */
  readonly #parens: number[] = [];
  readonly #parenRows: number[] = [];
  /** The word before the last parentheses that were closed, while only words and types follow; -1: none. */
  #call = -1;
  #callRow = 0;
  #isCallKept = false;

  constructor(text: string, by: Sketcher) {
    this.#text = text;
    this.#by = by;
  }

  get rows(): number {
    return this.#row + 1;
  }

  run(): this {
    const text = this.#text;
    const { classes } = this.#by;
    const { length } = text;
    starts[0] = 0;
    indents[0] = indentOf(text, 0);
    while (this.#at < length) {
      const code = text.charCodeAt(this.#at);
      const kind = code < 128 ? (classes[code] as number) : WORD;
      if (kind === SPACE) this.#at += 1;
      else if (kind === WORD) this.#word(code);
      else if (kind === NEWLINE) this.#newline();
      else if (kind === QUOTE) this.#quote(code);
      else if (kind === COMMENT) this.#comment(code);
      else if (kind === RAW) this.#raw(code);
      else {
        if (kind === MARK) this.#mark(code);
        this.#last = code;
        this.#at += 1;
      }
    }
    return this;
  }

  #newline(): void {
    const at = this.#at + 1;
    const row = (this.#row += 1);
    const indent = indentOf(this.#text, at);
    starts[row] = at;
    indents[row] = indent;
    this.#at = indent > 0 ? at + indent : at;
  }

  #word(code: number): void {
    const { classes, words } = this.#by;
    const start = this.#at;
    this.#at = endOfWord(this.#text, start, classes);
    this.#last = WORD;
    if (code >= 48 && code <= 57) return;
    const meaning = meaningOf(wordHash, words);
    if (meaning === -MEANT) {
      this.#wordStart = start;
      this.#wordEnd = this.#at;
      this.#wordRow = this.#row;
      if (this.#pending !== PLAIN) this.#name(start);
      else this.#use(start);
      return;
    }
    this.#wordStart = -1;
    if (meaning === IMPORTING) this.#import(start);
    else if (meaning !== PLAIN) this.#declaring(start, meaning);
  }

  /** A name that is used, or assigned a function. */
  #use(start: number): void {
    const text = this.#text;
    const [by, row, end] = [this.#by, this.#row, this.#at];
    if (by.isPython) {
      if (indents[row] === 0 && start === starts[row] && isAssigned(text, end))
        declare(this.declared, CONSTANT, text.slice(start, end), row);
    } else if (by.isEcma && isAt(text, end, 32) && isAt(text, end + 1, 61) && isAt(text, start - 1, 46)) {
      if (at(FUNCTION_VALUE, text, end)) declare(this.declared, FUNCTION, text.slice(start, end), row);
    }
    noteUse(wordHash, row, start);
  }

  /** The name after a declaring word. */
  #name(start: number): void {
    const text = this.#text;
    const { isPython, isEcma, isC } = this.#by;
    let [name, kind] = [start, this.#pending];
    // `function a.b:c()`, `def self.run`, `fun String.trim()`: the last one is declared.
    if (!isPython && !isEcma && !isC)
      for (let after; (after = at(NAME_AFTER, text, this.#at));) {
        // A namespace of C# is declared by its whole name.
        if (kind !== MODULE || after[0].startsWith(':')) name = this.#at + 1;
        this.#at += after[0].length;
      }
    this.#pending = PLAIN;
    if (kind === CONSTANT || kind === VARIABLE) {
      if (isEcma && at(FUNCTION_VALUE, text, this.#at)) kind = FUNCTION;
      else if (indents[this.#row] !== 0) return;
    }
    declare(this.declared, kind, text.slice(name, this.#at), this.#row);
  }

  /** What follows a word before imports. */
  #import(start: number): void {
    const text = this.#text;
    const { isGo, rules } = this.#by;
    if (rules.imports === 'string') {
      this.#isImport = true;
      this.#isImportBlock = isGo && /^\s*\(/.test(text.slice(this.#at, this.#at + 9));
    } else if (isHead(IMPORT_HEAD, text, starts[this.#row] as number, start)) {
      if (rules.imports === 'python') importsOfPython(text, start, this.#at, this.imports);
      else {
        const rest = at(REST, text, this.#at)?.[0] ?? '';
        if (!rest.includes('=') && !rest.startsWith(' ('))
          this.imports.add(seenByFile(moduleOf(rest.replace(/^\s*static\s+/, '')), text, start));
      }
    }
  }

  /** A declaring word. */
  #declaring(start: number, kind: number): void {
    const text = this.#text;
    const { isGo, isC, isEcma } = this.#by;
    const head = starts[this.#row] as number;
    if (isAt(text, start - 1, 46) || (isGo && kind === FUNCTION && start !== head)) return;
    if (isC && kind !== MODULE) {
      const body = kind === TYPE ? null : at(C_BODY, text, this.#at);
      if (body) declare(this.declared, kind, body[1] as string, this.#row);
      return;
    }
    if (isEcma && kind === TYPE && !isHead(TYPE_HEAD, text, head, start)) return;
    this.#pending = kind;
    if (isGo && kind === FUNCTION && isAt(text, this.#at + 1, 40))
      this.#at += text.slice(this.#at, this.#at + MAX_BRACKETED).indexOf(')') + 1;
  }

  /** Notes that the row has no code before `at`, if that is so. */
  #noCode(at: number): void {
    if (indents[this.#row] === at - (starts[this.#row] as number)) indents[this.#row] = -1;
  }

  #comment(code: number): void {
    const [text, start] = [this.#text, this.#at];
    const { isC, isEcma, rules } = this.#by;
    // `$path != /*` of a shell begins no comment.
    if (code === 47 && isAt(text, start + 1, 42) && rules.comments.includes('/')) {
      const end = text.indexOf('*/', start + 2);
      if (starts[this.#row] === start) indents[this.#row] = -1;
      this.#noCode(start);
      this.#passTo(end === -1 ? text.length : end + 2);
      return;
    }
    const isDoubled = code === 47 || code === 45;
    if ((!isDoubled || isAt(text, start + 1, code)) && rules.comments.includes(text[start] as string)) {
      this.#noCode(start);
      const end = text.indexOf('\n', start);
      this.#at = end === -1 ? text.length : end;
      return;
    }
    if (code === 47 && isEcma && this.#last !== WORD && this.#last !== 41 && this.#last !== 93) {
      this.#at = endOfRegex(text, start);
      this.#last = WORD;
      return;
    }
    this.#at += 1;
    this.#last = code;
    if (code !== 35 || !isC || indents[this.#row] !== start - (starts[this.#row] as number)) return;
    indents[this.#row] = -1;
    const include = at(INCLUDE, text, start + 1);
    const define = include ? null : at(DEFINE, text, start + 1);
    if (include) this.imports.add(include[1] as string);
    if (define) declare(this.declared, MACRO, define[1] as string, this.#row);
    this.#at += include?.[0].length ?? 0;
  }

  #quote(code: number): void {
    const [text, start] = [this.#text, this.#at];
    const { isC, isEcma, rules } = this.#by;
    if (code === 39 && rules.isCharQuoted === true) {
      const isEscaped = isAt(text, start + 1, 92);
      const end = isEscaped ? text.indexOf("'", start + 3) : isAt(text, start + 2, 39) ? start + 2 : -1;
      this.#at = end !== -1 && end - start < 13 ? end + 1 : start + 1;
      this.#last = WORD;
      return;
    }
    if (!rules.quotes.includes(text[start] as string)) {
      this.#at += 1;
      return;
    }
    this.#last = WORD;
    if (!isC && !isEcma && isAt(text, start + 1, code) && isAt(text, start + 2, code)) {
      const end = text.indexOf(text.slice(start, start + 3), start + 3);
      if (end === -1) this.#noCode(start);
      this.#passTo(end === -1 ? text.length : end + 3);
      return;
    }
    const end = endOfString(text, start, code);
    if (this.#isImport) {
      const written = text.slice(start + 1, end);
      if (written !== '' && written.length < 160) this.imports.add(written);
      this.#isImport = this.#isImportBlock;
    }
    this.#at = isAt(text, end, code) ? end + 1 : end;
  }

  /** A string over several lines. */
  #raw(code: number): void {
    const text = this.#text;
    const { isEcma } = this.#by;
    let end = this.#at + 1;
    for (; end < text.length; end += 1) {
      const one = text.charCodeAt(end);
      if (one === 92 && isEcma) end += 1;
      else if (one === code) break;
    }
    this.#passTo(Math.min(text.length, end + 1));
    this.#last = WORD;
  }

  #passTo(end: number): void {
    this.#row = passLines(this.#text, this.#at, end, this.#row);
    this.#at = end;
  }

  /** A bracket or another character that ends names, types or statements. */
  #mark(code: number): void {
    const { isC, isGo, isShell } = this.#by;
    if (code === 40) {
      const isCalled = this.#wordStart !== -1 && this.#at - this.#wordEnd <= 1;
      this.#parens.push(isCalled ? this.#wordStart : -1);
      this.#parenRows.push(this.#wordRow);
      this.#pending = PLAIN;
      if (!isGo) this.#isImport &&= this.#last === WORD;
    } else if (code === 41) this.#close();
    else if (code === 123) {
      if (this.#by.rules.calls !== undefined) this.#declareCall(HEAD);
      this.#dropCall();
      if (isC || isShell) this.#parens.length = this.#parenRows.length = 0;
    } else if (code === 58) {
      if (this.#call !== -1) this.#isCallKept = true;
      if (!isC) this.#pending = PLAIN;
    } else if (code === 60) {
      if (this.#pending !== PLAIN) this.#at += at(BRACKETED, this.#text, this.#at)?.[1]?.length ?? 0;
    } else if (code !== 42 && code !== 46) {
      if (code === 59) {
        if (isC && this.#parens.length === 0) this.#declareCall(TYPED_HEAD);
        this.#isImport = false;
      }
      if (code === 44 && this.#isCallKept) this.#pending = PLAIN;
      else this.#dropCall();
    }
    if (code !== 60 && code !== 46) this.#wordStart = -1;
  }

  #close(): void {
    const call = this.#parens.pop() ?? -1;
    const row = this.#parenRows.pop() ?? 0;
    const isOuter = this.#parens.length === 0 || this.#by.isEcma;
    if (isOuter && (!this.#isCallKept || this.#call === -1)) {
      [this.#call, this.#callRow] = [call, row];
      this.#isCallKept = false;
    }
    if (this.#isImportBlock) this.#isImportBlock = this.#isImport = false;
  }

  #dropCall(): void {
    this.#call = -1;
    this.#isCallKept = false;
    this.#pending = PLAIN;
  }

  /** `name(…) {`, or `type name(…);`, is a function. `head`: what may stand before it. */
  #declareCall(head: RegExp): void {
    if (this.#call !== -1 && isHead(head, this.#text, starts[this.#callRow] as number, this.#call))
      declare(this.declared, FUNCTION, wordAt(this.#text, this.#call), this.#callRow);
  }
}

function isAt(text: string, at: number, code: number): boolean {
  return at >= 0 && at < text.length && text.charCodeAt(at) === code;
}

/** The offset of the quote that ends a string, or of the end of its line. */
function endOfString(text: string, start: number, quote: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 92) {
      if (isAt(text, end + 1, 10)) break;
      end += 1;
    } else if (code === quote || code === 10) break;
  }
  return end;
}

/** The names that were used, without their lines. */
function usedNames(text: string): string[] {
  return Array.from(usedAt.subarray(0, used), (start) =>
    wordAt(text, start).slice(0, MAX_TAG_NAME_CHARACTERS),
  );
}

/** Whether `=` follows, after a type at most. */
function isAssigned(text: string, from: number): boolean {
  let to = from;
  while (text.charCodeAt(to) === 32) to += 1;
  if (text.charCodeAt(to) === 58) return true;
  return text.charCodeAt(to) === 61 && text.charCodeAt(to + 1) !== 61;
}

/** Adds `import a.b, c` and `from .a import b, c`, of which the first word ends at `end`. */
function importsOfPython(text: string, start: number, end: number, imports: Set<string>): void {
  const namesOf = (list: string): string[] =>
    list.split(',').flatMap((one) => /^[\s\\]*([.\w]+)/.exec(one)?.[1] ?? []);
  if (text.charCodeAt(start) === 105) {
    for (const name of namesOf(at(PYTHON_IMPORT, text, end)?.[1] ?? '')) imports.add(name);
    return;
  }
  const [, module = '', more, names = more ?? ''] = at(PYTHON_FROM, text, end) ?? [];
  if (module === '') return;
  imports.add(module);
  for (const name of namesOf(names)) imports.add(`${module}${module.endsWith('.') ? '' : '.'}${name}`);
}

/** The offset after a regular expression of JavaScript that begins at a slash; after the slash if none ends soon on the line. */
function endOfRegex(text: string, from: number): number {
  let isInClass = false;
  const end = Math.min(text.length, from + MIN_LONG_LINE_CHARACTERS);
  for (let to = from + 1; to < end; to += 1) {
    const code = text.charCodeAt(to);
    if (code === 10) break;
    if (code === 92) to += 1;
    else if (code === 91) isInClass = true;
    else if (code === 93) isInClass = false;
    else if (code === 47 && !isInClass) return to + 1;
  }
  return from + 1;
}

/** The serialized symbols (see tags.ts): each ends before the next line of code that is not indented more than its own. */
function symbolsOf(text: string, declared: readonly Declared[], rows: number): string[] {
  const entries: (string | undefined)[] = [];
  const open: (Declared & { readonly indent: number; readonly entry: number; readonly scope: string })[] = [];
  const sorted = declared.toSorted((a, b) => a.row - b.row);
  let lastCode = 0;
  const close = (to: number): void => {
    const one = open.pop();
    if (!one || one.entry === -1) return;
    const fields = [one.kind, one.row + 1, to + 1, one.row + 1, open.length, one.name, one.scope, '', ''];
    entries[one.entry] = fields.join(FIELD);
  };
  let next = 0;
  for (let row = 0; row < rows; row += 1) {
    const indent = indents[row] as number;
    if (indent === -1) continue;
    for (let top = open.at(-1); top && indent <= top.indent; top = open.at(-1)) {
      const first = text.charCodeAt((starts[row] as number) + indent);
      const isClosing =
        first === 125 || first === 41 || first === 93 || isEnd(text, (starts[row] as number) + indent);
      const end = (row + 1 < rows ? (starts[row + 1] as number) : text.length + 1) - 2;
      const final = text.charCodeAt(text.charCodeAt(end) === 13 ? end - 1 : end);
      // `{` on its own line, `) {`, `): T {`, `public:` go on with the symbol.
      if (
        first === 123 ||
        (isClosing && (final === 123 || final === 58 || final === 44)) ||
        (final === 58 && first === 112)
      )
        break;
      close(isClosing && indent === top.indent ? row : lastCode);
      if (isClosing && indent === top.indent) break;
    }
    for (; (sorted[next]?.row ?? Infinity) <= row; next += 1) {
      const one = sorted[next] as Declared;
      const outer = open.at(-1);
      const scope = outer ? `${outer.scope}${outer.name}.` : '';
      const entry = open.length <= MAX_SKETCHED_DEPTH && one.row === row ? entries.push(undefined) - 1 : -1;
      // Not spread: V8 would give each object a shape of its own.
      open.push({ kind: one.kind, name: one.name, row: one.row, indent, scope, entry });
    }
    lastCode = row;
  }
  while (open.length > 0) close(lastCode);
  return entries.filter((entry) => entry !== undefined);
}

/** Whether the word `end` stands there. */
function isEnd(text: string, from: number): boolean {
  return text.charCodeAt(from) === 101 && /^end\b/.test(text.slice(from, from + 4));
}
