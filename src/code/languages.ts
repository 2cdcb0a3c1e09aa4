/** The table of languages that can be outlined: how each is detected, and its scanner or grammar. */

import type { NoStructure } from '../types/answer.ts';
import type { LineScanner } from './structure.ts';

export interface CodeLanguage {
  readonly name: string;
  /** Lower case, without the dot. */
  readonly extensions: readonly string[];
  /** Complete base names, lower case: `makefile`. */
  readonly names?: readonly string[] | undefined;
  /** Interpreters in a `#!` line, without version digits. */
  readonly interpreters?: readonly string[] | undefined;
  /** The grammar `<grammar>.wasm`, and the query files that are concatenated for it. */
  readonly grammar?: string | undefined;
  readonly queries?: readonly string[] | undefined;
  /** The query files in `uses/` for used names and imported modules. */
  readonly uses?: readonly string[] | undefined;
  /** The hand-written scanner of a language without a grammar. */
  readonly scanner?: (() => Promise<LineScanner>) | undefined;
  /** Marks that begin a comment or directive up to the end of the line. */
  readonly lineComments?: readonly string[] | undefined;
  /** Whether a read of a long file returns a map: true for code, false for prose and data. */
  readonly summary: boolean;
}

export const languages: readonly CodeLanguage[] = [
  {
    name: 'typescript',
    extensions: ['ts', 'mts', 'cts'],
    grammar: 'typescript',
    queries: ['ecma', 'typescript'],
    uses: ['ecma', 'typescript'],
    interpreters: ['ts-node', 'tsx', 'deno', 'bun'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'tsx',
    extensions: ['tsx'],
    grammar: 'tsx',
    queries: ['ecma', 'typescript'],
    uses: ['ecma', 'typescript'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'javascript',
    extensions: ['js', 'mjs', 'cjs', 'jsx'],
    interpreters: ['node', 'nodejs'],
    grammar: 'javascript',
    queries: ['ecma', 'javascript'],
    uses: ['ecma'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'python',
    extensions: ['py', 'pyi', 'pyw'],
    interpreters: ['python', 'pypy', 'uv'],
    grammar: 'python',
    queries: ['python'],
    uses: ['python'],
    lineComments: ['#'],
    summary: true,
  },
  {
    name: 'go',
    extensions: ['go'],
    grammar: 'go',
    queries: ['go'],
    uses: ['go'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'rust',
    extensions: ['rs'],
    grammar: 'rust',
    queries: ['rust'],
    uses: ['rust'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'java',
    extensions: ['java'],
    grammar: 'java',
    queries: ['java'],
    uses: ['java'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'kotlin',
    extensions: ['kt', 'kts'],
    grammar: 'kotlin',
    queries: ['kotlin'],
    uses: ['kotlin'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'c',
    extensions: ['c'],
    grammar: 'c',
    queries: ['c'],
    uses: ['c'],
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'cpp',
    extensions: ['cc', 'cpp', 'cxx', 'c++', 'h', 'hh', 'hpp', 'hxx', 'h++', 'ipp', 'inl', 'cu', 'cuh'],
    grammar: 'cpp',
    queries: ['cpp'],
    uses: ['cpp'],
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'csharp',
    extensions: ['cs', 'csx'],
    grammar: 'c-sharp',
    queries: ['c-sharp'],
    uses: ['c-sharp'],
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'ruby',
    extensions: ['rb', 'rake', 'gemspec', 'ru'],
    names: ['rakefile', 'gemfile', 'vagrantfile', 'guardfile', 'podfile'],
    interpreters: ['ruby'],
    grammar: 'ruby',
    queries: ['ruby'],
    uses: ['ruby'],
    lineComments: ['#'],
    summary: true,
  },
  {
    name: 'php',
    extensions: ['php', 'phtml', 'php5', 'phps'],
    interpreters: ['php'],
    grammar: 'php',
    queries: ['php'],
    uses: ['php'],
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'scala',
    extensions: ['scala', 'sc', 'sbt'],
    grammar: 'scala',
    queries: ['scala'],
    uses: ['scala'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'lua',
    extensions: ['lua', 'rockspec'],
    interpreters: ['lua', 'luajit'],
    grammar: 'lua',
    queries: ['lua'],
    uses: ['lua'],
    lineComments: ['--'],
    summary: true,
  },
  {
    name: 'bash',
    extensions: ['sh', 'bash', 'zsh', 'ksh', 'bats'],
    names: ['.bashrc', '.bash_profile', '.profile', '.zshrc'],
    interpreters: ['sh', 'bash', 'dash', 'zsh', 'ksh'],
    grammar: 'bash',
    queries: ['bash'],
    uses: ['bash'],
    lineComments: ['#'],
    summary: true,
  },
  {
    name: 'html',
    extensions: ['html', 'htm', 'xhtml', 'vue', 'svelte'],
    grammar: 'html',
    queries: ['html'],
    summary: false,
  },
  {
    name: 'css',
    extensions: ['css', 'scss', 'less'],
    grammar: 'css',
    queries: ['css'],
    lineComments: ['//'],
    summary: true,
  },
  {
    name: 'swift',
    extensions: ['swift'],
    scanner: async () => (await import('./scanners/swift-objective-c.ts')).scanSwift,
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'objective-c',
    extensions: ['m', 'mm'],
    scanner: async () => (await import('./scanners/swift-objective-c.ts')).scanObjectiveC,
    lineComments: ['//', '#'],
    summary: true,
  },
  {
    name: 'perl',
    extensions: ['pl', 'pm', 't', 'psgi', 'plx'],
    interpreters: ['perl'],
    scanner: async () => (await import('./scanners/perl-sql.ts')).scanPerl,
    lineComments: ['#'],
    summary: true,
  },
  {
    name: 'sql',
    extensions: ['sql', 'ddl', 'psql', 'pgsql'],
    scanner: async () => (await import('./scanners/perl-sql.ts')).scanSql,
    lineComments: ['--'],
    summary: true,
  },
  {
    name: 'markdown',
    extensions: ['md', 'markdown', 'mdx', 'mkd', 'qmd', 'rmd'],
    scanner: async () => (await import('./scanners/text.ts')).scanMarkdown,
    summary: false,
  },
  {
    name: 'restructuredtext',
    extensions: ['rst', 'rest'],
    scanner: async () => (await import('./scanners/text.ts')).scanRestructuredText,
    summary: false,
  },
  {
    name: 'csv',
    extensions: ['csv', 'tsv', 'tab', 'psv'],
    scanner: async () => (await import('./scanners/data.ts')).scanCsv,
    summary: false,
  },
  {
    name: 'json',
    extensions: ['json', 'jsonc', 'json5', 'geojson', 'webmanifest', 'map', 'har'],
    names: ['.eslintrc', '.prettierrc', '.babelrc'],
    scanner: async () => (await import('./scanners/data.ts')).scanJsonText,
    summary: false,
  },
  {
    name: 'yaml',
    extensions: ['yaml', 'yml'],
    names: ['.clang-format'],
    scanner: async () => (await import('./scanners/data.ts')).scanYaml,
    summary: false,
  },
  {
    name: 'toml',
    extensions: ['toml', 'ini', 'cfg'],
    names: ['cargo.lock', 'poetry.lock', 'uv.lock', 'pipfile', '.gitconfig', '.editorconfig', '.npmrc'],
    scanner: async () => (await import('./scanners/data.ts')).scanToml,
    summary: false,
  },
  {
    name: 'dockerfile',
    extensions: ['dockerfile', 'containerfile'],
    names: ['dockerfile', 'containerfile'],
    scanner: async () => (await import('./scanners/text.ts')).scanDockerfile,
    summary: false,
  },
  {
    name: 'makefile',
    extensions: ['mk', 'mak', 'make'],
    names: ['makefile', 'gnumakefile'],
    interpreters: ['make'],
    scanner: async () => (await import('./scanners/text.ts')).scanMakefile,
    summary: false,
  },
  {
    name: 'notebook',
    extensions: ['ipynb'],
    scanner: async () => (await import('./scanners/data.ts')).scanNotebook,
    summary: false,
  },
  {
    name: 'diff',
    extensions: ['diff', 'patch'],
    scanner: async () => (await import('./scanners/text.ts')).scanDiff,
    summary: false,
  },
];

const byExtension = new Map(languages.flatMap((one) => one.extensions.map((extension) => [extension, one])));
const byName = new Map(languages.flatMap((one) => (one.names ?? []).map((name) => [name, one])));
const byInterpreter = new Map(
  languages.flatMap((one) => (one.interpreters ?? []).map((program) => [program, one])),
);

/**
 * The language of a text by its base name, otherwise by its `#!` line (`start`: at least its first line); undefined if
 * neither is known.
 */
export function languageOf(name: string, start: string): CodeLanguage | undefined {
  const base = name.toLowerCase();
  const dot = base.lastIndexOf('.');
  const extension = dot === -1 ? '' : base.slice(dot + 1);
  const stem = dot === -1 ? base : base.slice(0, base.indexOf('.'));
  return (
    byName.get(base) ??
    byExtension.get(extension) ??
    byName.get(stem) ??
    byInterpreter.get(interpreter(start))
  );
}

/** `"#!/usr/bin/env -S python3.12 -u"` → `"python"`; `""` if there is no such line. */
function interpreter(start: string): string {
  if (!start.startsWith('#!')) return '';
  const line = start.slice(2, 256).split('\n', 1)[0] ?? '';
  const words = line
    .split(/\s+/)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.includes('='));
  const programs = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const program = programs[0] === 'env' ? programs[1] : programs[0];
  return program?.replace(/[\d.]+$/, '') ?? '';
}

/** Whether a file of that name is code, so that its symbols are in the map of a directory. */
export function isCode(name: string): boolean {
  return languageOf(name, '')?.summary === true;
}

// Refuses to parse binary, minified and too long texts, on which a parser could take very long.

/** Maximum characters of a text that is outlined. */
export const MAX_PARSED_CHARACTERS = 4 * 1024 * 1024;

/** Lines of more characters count as generated. */
const MIN_LONG_LINE_CHARACTERS = 1_000;

/** `binary`, `minified` (most of the text is in long lines), `size`, or undefined if the text may be parsed. */
export function unfit(text: string, lines: readonly string[]): NoStructure | undefined {
  if (text.length > MAX_PARSED_CHARACTERS) return 'size';
  if (text.includes('\0') || damage(text) > text.length / 20) return 'binary';
  let long = 0;
  for (const line of lines) if (line.length > MIN_LONG_LINE_CHARACTERS) long += line.length;
  return long > text.length / 2 ? 'minified' : undefined;
}

/** Number of characters that are unusual in texts: U+FFFD, and controls other than white space and ESC. */
function damage(text: string): number {
  return text.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0;
}
