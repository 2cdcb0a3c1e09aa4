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
  /** What a read of a long file returns: a map of code, a map of prose (its chapters), or the text. */
  readonly map?: 'code' | 'prose' | undefined;
}

/** A language whose grammar and queries are called like it, with comments as in C. */
function code(name: string, extensions: readonly string[], more: Partial<CodeLanguage> = {}): CodeLanguage {
  const own = { grammar: name, queries: [name], uses: [name], lineComments: ['//'], map: 'code' } as const;
  return { name, extensions, ...own, ...more };
}

export const languages: readonly CodeLanguage[] = [
  code('typescript', ['ts', 'mts', 'cts'], {
    queries: ['ecma', 'typescript'],
    uses: ['ecma', 'typescript'],
    interpreters: ['ts-node', 'tsx', 'deno', 'bun'],
  }),
  code('tsx', ['tsx'], { queries: ['ecma', 'typescript'], uses: ['ecma', 'typescript'] }),
  code('javascript', ['js', 'mjs', 'cjs', 'jsx'], {
    queries: ['ecma', 'javascript'],
    uses: ['ecma'],
    interpreters: ['node', 'nodejs'],
  }),
  code('python', ['py', 'pyi', 'pyw'], { interpreters: ['python', 'pypy', 'uv'], lineComments: ['#'] }),
  code('go', ['go']),
  code('rust', ['rs']),
  code('java', ['java']),
  code('kotlin', ['kt', 'kts']),
  code('c', ['c'], { queries: ['c', 'c-family'], lineComments: ['//', '#'] }),
  code('cpp', ['cc', 'cpp', 'cxx', 'c++', 'h', 'hh', 'hpp', 'hxx', 'h++', 'ipp', 'inl', 'cu', 'cuh'], {
    queries: ['cpp', 'c-family'],
    uses: ['c', 'cpp'],
    lineComments: ['//', '#'],
  }),
  code('csharp', ['cs', 'csx'], {
    grammar: 'c-sharp',
    queries: ['c-sharp'],
    uses: ['c-sharp'],
    lineComments: ['//', '#'],
  }),
  code('ruby', ['rb', 'rake', 'gemspec', 'ru'], {
    names: ['rakefile', 'gemfile', 'vagrantfile', 'guardfile', 'podfile'],
    interpreters: ['ruby'],
    lineComments: ['#'],
  }),
  code('php', ['php', 'phtml', 'php5', 'phps'], { interpreters: ['php'], lineComments: ['//', '#'] }),
  code('scala', ['scala', 'sc', 'sbt']),
  code('lua', ['lua', 'rockspec'], { interpreters: ['lua', 'luajit'], lineComments: ['--'] }),
  code('bash', ['sh', 'bash', 'zsh', 'ksh', 'bats'], {
    names: ['.bashrc', '.bash_profile', '.profile', '.zshrc'],
    interpreters: ['sh', 'bash', 'dash', 'zsh', 'ksh'],
    lineComments: ['#'],
  }),
  {
    name: 'html',
    extensions: ['html', 'htm', 'xhtml', 'vue', 'svelte'],
    grammar: 'html',
    queries: ['html'],
    map: 'prose',
  },
  {
    name: 'css',
    extensions: ['css', 'scss', 'less'],
    grammar: 'css',
    queries: ['css'],
    lineComments: ['//'],
    map: 'code',
  },
  {
    name: 'swift',
    extensions: ['swift'],
    scanner: async () => (await import('./scanners/swift-objective-c.ts')).scanSwift,
    lineComments: ['//', '#'],
    map: 'code',
  },
  {
    name: 'objective-c',
    extensions: ['m', 'mm'],
    scanner: async () => (await import('./scanners/swift-objective-c.ts')).scanObjectiveC,
    lineComments: ['//', '#'],
    map: 'code',
  },
  {
    name: 'perl',
    extensions: ['pl', 'pm', 't', 'psgi', 'plx'],
    interpreters: ['perl'],
    scanner: async () => (await import('./scanners/perl-sql.ts')).scanPerl,
    lineComments: ['#'],
    map: 'code',
  },
  {
    name: 'sql',
    extensions: ['sql', 'ddl', 'psql', 'pgsql'],
    scanner: async () => (await import('./scanners/perl-sql.ts')).scanSql,
    lineComments: ['--'],
    map: 'code',
  },
  {
    name: 'markdown',
    extensions: ['md', 'markdown', 'mdx', 'mkd', 'qmd', 'rmd'],
    scanner: async () => (await import('./scanners/text.ts')).scanMarkdown,
    map: 'prose',
  },
  {
    name: 'restructuredtext',
    extensions: ['rst', 'rest'],
    scanner: async () => (await import('./scanners/text.ts')).scanRestructuredText,
    map: 'prose',
  },
  {
    name: 'asciidoc',
    extensions: ['adoc', 'asciidoc', 'asc'],
    scanner: async () => (await import('./scanners/text.ts')).scanAsciiDoc,
    map: 'prose',
  },
  {
    name: 'org',
    extensions: ['org'],
    scanner: async () => (await import('./scanners/text.ts')).scanOrg,
    map: 'prose',
  },
  {
    name: 'latex',
    extensions: ['tex', 'latex', 'ltx'],
    scanner: async () => (await import('./scanners/text.ts')).scanLatex,
    lineComments: ['%'],
    map: 'prose',
  },
  {
    name: 'xml',
    extensions: ['xml', 'xsd', 'xsl', 'xslt', 'plist', 'csproj', 'pom', 'wsdl', 'rss', 'atom', 'rdf', 'dita'],
    scanner: async () => (await import('./scanners/data.ts')).scanXml,
    map: 'prose',
  },
  {
    name: 'csv',
    extensions: ['csv', 'tsv', 'tab', 'psv'],
    scanner: async () => (await import('./scanners/data.ts')).scanCsv,
  },
  {
    name: 'json',
    extensions: ['json', 'jsonc', 'json5', 'geojson', 'webmanifest', 'map', 'har'],
    names: ['.eslintrc', '.prettierrc', '.babelrc'],
    scanner: async () => (await import('./scanners/data.ts')).scanJsonText,
  },
  {
    name: 'yaml',
    extensions: ['yaml', 'yml'],
    names: ['.clang-format'],
    scanner: async () => (await import('./scanners/data.ts')).scanYaml,
  },
  {
    name: 'toml',
    extensions: ['toml', 'ini', 'cfg'],
    names: ['cargo.lock', 'poetry.lock', 'uv.lock', 'pipfile', '.gitconfig', '.editorconfig', '.npmrc'],
    scanner: async () => (await import('./scanners/data.ts')).scanToml,
  },
  {
    name: 'dockerfile',
    extensions: ['dockerfile', 'containerfile'],
    names: ['dockerfile', 'containerfile'],
    scanner: async () => (await import('./scanners/text.ts')).scanDockerfile,
  },
  {
    name: 'makefile',
    extensions: ['mk', 'mak', 'make'],
    names: ['makefile', 'gnumakefile'],
    interpreters: ['make'],
    scanner: async () => (await import('./scanners/text.ts')).scanMakefile,
  },
  {
    name: 'notebook',
    extensions: ['ipynb'],
    scanner: async () => (await import('./scanners/data.ts')).scanNotebook,
  },
  {
    name: 'diff',
    extensions: ['diff', 'patch'],
    scanner: async () => (await import('./scanners/text.ts')).scanDiff,
  },
];

const byExtension = new Map<string, CodeLanguage>();
const byName = new Map<string, CodeLanguage>();
const byInterpreter = new Map<string, CodeLanguage>();
for (const one of languages) {
  for (const extension of one.extensions) byExtension.set(extension, one);
  for (const name of one.names ?? []) byName.set(name, one);
  for (const program of one.interpreters ?? []) byInterpreter.set(program, one);
}

/** A diff, also of a commit with its message, as a command prints it: its file has no name that tells. */
const DIFF = /^(?:commit [0-9a-f]{40}\b[^]{0,4000}?\n)?(?:diff --git |--- [^\n]+\n\+\+\+ )/;

/**
 * The language of a text by its base name, otherwise by its `#!` line or as a diff (`start`: at least its first line);
 * undefined if neither is known.
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
    byInterpreter.get(interpreter(start)) ??
    (DIFF.test(start) ? byExtension.get('diff') : undefined)
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
  return languageOf(name, '')?.map === 'code';
}

/** Manifests of packages and settings of compilers, which say what imported names mean. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|[jt]sconfig[^/]*\.json|Cargo\.toml)$/.test(path);
}

/** Whether a file of that name is code, or tells what code imports: it is a manifest, or a component with a script. */
export function isTagged(name: string): boolean {
  return isCode(name) || isManifest(name) || /\.(?:vue|svelte)$/.test(name);
}

/** The names of the languages of which a map sketches files before it parses those that it shows (see sketch.ts). */
const SKETCHED_LANGUAGES =
  'typescript tsx javascript python go rust java kotlin scala csharp c cpp php ruby lua'.split(' ');

/** Whether files of the language are sketched. */
export function isSketched(language: string): boolean {
  return SKETCHED_LANGUAGES.includes(language);
}

// Refuses to parse binary, minified and too long texts, on which a parser could take very long.

/** Maximum characters of a text that is outlined. */
export const MAX_PARSED_CHARACTERS = 4 * 1024 * 1024;

/** Lines of more characters count as generated. */
export const MIN_LONG_LINE_CHARACTERS = 1_000;

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
