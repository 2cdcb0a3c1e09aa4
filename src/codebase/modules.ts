/**
 * Which files of a tree a module means, as a file names it in its imports. No build is asked: a module is looked for
 * beside the file, and else by the end of its path, as `a.b.c`, `a/b/c` and `crate::b::c` have it.
 */

import { Ends } from './path-ends.ts';

/** Endings that an import leaves out, or writes for another: `./store.js` of a TypeScript file means `store.ts`. */
const ENDINGS = /(?:\.d)?\.(?:[cm]?[jt]sx?|pyi?|java|kts?|scala|rb|php|lua|cs|rs|go|sh|vue|svelte)$/;

/** Files that stand for their directory. */
const INDEX = /\/(?:index|__init__|mod|main|lib|init)$/;

/** Files that one module may mean: a package of Go or Java has many. */
const MOST = 200;

export class Modules {
  readonly #paths: readonly string[];
  /** Paths without their ending, and with it, to the position of the file. */
  readonly #exact = new Map<string, number>();
  /** By directory. */
  readonly #byDirectory = new Map<string, number[]>();
  /** What was found by the end of a path: thousands of files import the same packages. */
  readonly #found = new Map<string, readonly number[]>();
  #files: Ends<number> | undefined;
  #directories: Ends<readonly number[]> | undefined;

  readonly #top: string;

  /** `paths` are relative to a directory called `top`, with `/`. */
  constructor(paths: readonly string[], top: string) {
    this.#paths = paths;
    this.#top = top;
    paths.forEach((path, i) => {
      for (const form of formsOf(path)) if (!this.#exact.has(form)) this.#exact.set(form, i);
      add(this.#byDirectory, directoryOf(path), i);
    });
  }

  /** Positions of the files that `module` may mean in the file `from`; none for a module of another package. */
  filesOf(module: string, from: string): readonly number[] {
    if (module.startsWith('.') && !/^\.+\w/.test(module)) return this.#relative(module, from);
    // `.models` and `..util` of Python.
    const dots = /^\.+/.exec(module)?.[0].length ?? 0;
    if (dots > 0)
      return this.#relative(`./${'../'.repeat(dots - 1)}${module.slice(dots).replaceAll('.', '/')}`, from);
    const beside = this.#relative(`./${module}`, from);
    if (beside.length > 0) return beside;
    const known = this.#found.get(module) ?? this.#byEnd(module);
    this.#found.set(module, known);
    return known;
  }

  /** What leads out of the tree is none of its files. */
  #relative(module: string, from: string): number[] {
    const parts = directoryOf(from).split('/').filter(Boolean);
    for (const part of module.split('/')) {
      if (part === '..' && parts.pop() === undefined) return [];
      if (part === '..') continue;
      if (part !== '.' && part !== '') parts.push(part);
    }
    const path = parts.join('/');
    const found = this.#exact.get(path) ?? this.#exact.get(path.replace(ENDINGS, ''));
    return found === undefined ? [] : [found];
  }

  /** The files whose paths end in the module's; the nearest to the top where several do. */
  #byEnd(module: string): readonly number[] {
    const parts = (
      /[/\\]/.test(module) ? module.replace(ENDINGS, '') : module.replace(/::/g, '.').replaceAll('.', '/')
    )
      .split(/[/\\]/)
      .filter((part) => part !== '' && part !== 'crate' && part !== 'super' && part !== 'self');
    // Asked about the package `shop` itself, `shop.lexers` is its `lexers`.
    const inside = this.#exact.get(parts.slice(parts.indexOf(this.#top) + 1).join('/'));
    if (inside !== undefined && parts.length > 1 && parts.includes(this.#top)) return [inside];
    this.#files ??= new Ends(
      this.#paths.flatMap((path, i) => formsOf(path).map((form) => [form, i] as const)),
    );
    this.#directories ??= new Ends([...this.#byDirectory]);
    for (let first = 0; first < Math.min(parts.length, 6); first += 1) {
      const end = parts.slice(first).join('/');
      // One word alone is the name of a package, and of too many files.
      if (first > 0 && parts.length - first < 2) break;
      const files = [...new Set(this.#files.endingIn(end))].sort((a, b) => a - b);
      if (files.length > 0) return files.slice(0, MOST);
      const inDirectory = this.#byDirectory.get(end) ?? this.#directories.endingIn(end)[0] ?? [];
      if (inDirectory.length > 0) return inDirectory.slice(0, MOST);
    }
    return [];
  }
}

/** The path, without its ending, and that of its directory where it stands for it. */
function formsOf(path: string): string[] {
  const stem = path.replace(ENDINGS, '');
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
