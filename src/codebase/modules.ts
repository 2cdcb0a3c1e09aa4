/**
 * Resolves the modules that a file imports to files of the tree. Build settings are not read: a module is looked for
 * relative to the importing file, then by the end of its path, for `a.b.c`, `a/b/c` and `crate::b::c`.
 */

import { PathSuffixes } from './path-suffixes.ts';

/** File extensions that an import omits or replaces: `./store.js` in a TypeScript file means `store.ts`. */
const EXTENSIONS = /(?:\.d)?\.(?:[cm]?[jt]sx?|pyi?|java|kts?|scala|rb|php|lua|cs|rs|go|sh|vue|svelte)$/;

/** Files by which a directory is imported. */
const INDEX = /\/(?:index|__init__|mod|main|lib|init)$/;

/** Maximum files of one module: a package of Go or Java consists of many. */
const MOST_FILES = 200;

export class Modules {
  readonly #paths: readonly string[];
  /** Each form of a path (see `formsOf`) to the 0-based position of the file. */
  readonly #exact = new Map<string, number>();
  /** The files directly in each directory. */
  readonly #byDirectory = new Map<string, number[]>();
  /** Cached results of `#byEnd`: thousands of files import the same packages. */
  readonly #found = new Map<string, readonly number[]>();
  #files: PathSuffixes<number> | undefined;
  #directories: PathSuffixes<readonly number[]> | undefined;

  readonly #top: string;

  /** `paths` are relative to a directory with the name `top`, separated by `/`. */
  constructor(paths: readonly string[], top: string) {
    this.#paths = paths;
    this.#top = top;
    paths.forEach((path, i) => {
      for (const form of formsOf(path)) if (!this.#exact.has(form)) this.#exact.set(form, i);
      add(this.#byDirectory, directoryOf(path), i);
    });
  }

  /** The 0-based positions of the files that `module` may mean in the file `from` (a path); empty for a module outside the tree. */
  filesOf(module: string, from: string): readonly number[] {
    if (module.startsWith('.') && !/^\.+\w/.test(module)) return this.#relative(module, from);
    // Relative imports of Python: `.models`, `..util`.
    const dots = /^\.+/.exec(module)?.[0].length ?? 0;
    if (dots > 0)
      return this.#relative(`./${'../'.repeat(dots - 1)}${module.slice(dots).replaceAll('.', '/')}`, from);
    const beside = this.#relative(`./${module}`, from);
    if (beside.length > 0) return beside;
    const known = this.#found.get(module) ?? this.#byEnd(module);
    this.#found.set(module, known);
    return known;
  }

  /** Empty if the path leads out of the tree. */
  #relative(module: string, from: string): number[] {
    const parts = directoryOf(from).split('/').filter(Boolean);
    for (const part of module.split('/')) {
      if (part === '..' && parts.pop() === undefined) return [];
      if (part === '..') continue;
      if (part !== '.' && part !== '') parts.push(part);
    }
    const path = parts.join('/');
    const found = this.#exact.get(path) ?? this.#exact.get(path.replace(EXTENSIONS, ''));
    return found === undefined ? [] : [found];
  }

  /**
   * The files whose paths end in the path of the module; if there are none, those of one directory whose path does. Leading
   * parts of the module (at most five) are dropped until something is found; at least two parts must be left.
   */
  #byEnd(module: string): readonly number[] {
    const parts = (
      /[/\\]/.test(module) ? module.replace(EXTENSIONS, '') : module.replace(/::/g, '.').replaceAll('.', '/')
    )
      .split(/[/\\]/)
      .filter((part) => part !== '' && part !== 'crate' && part !== 'super' && part !== 'self');
    // If the tree is the package `shop` itself, `shop.lexers` is `lexers` in it.
    const inside = this.#exact.get(parts.slice(parts.indexOf(this.#top) + 1).join('/'));
    if (inside !== undefined && parts.length > 1 && parts.includes(this.#top)) return [inside];
    this.#files ??= new PathSuffixes(
      this.#paths.flatMap((path, i) => formsOf(path).map((form) => [form, i] as const)),
    );
    this.#directories ??= new PathSuffixes([...this.#byDirectory]);
    for (let first = 0; first < Math.min(parts.length, 6); first += 1) {
      const end = parts.slice(first).join('/');
      // The last part alone would match too many files.
      if (first > 0 && parts.length - first < 2) break;
      const files = [...new Set(this.#files.withSuffix(end))].sort((a, b) => a - b);
      if (files.length > 0) return files.slice(0, MOST_FILES);
      const inDirectory = this.#byDirectory.get(end) ?? this.#directories.withSuffix(end)[0] ?? [];
      if (inDirectory.length > 0) return inDirectory.slice(0, MOST_FILES);
    }
    return [];
  }
}

/** The paths by which a file is imported: with and without extension, and for an index file that of its directory. */
function formsOf(path: string): string[] {
  const stem = path.replace(EXTENSIONS, '');
  return [...new Set([path, stem, stem.replace(INDEX, '')])];
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function add(map: Map<string, number[]>, key: string, value: number): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
