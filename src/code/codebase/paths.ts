/**
 * Resolves the modules that a file imports to files of the tree: relative to the importing file, by the settings above it, in
 * the packages of the tree by their names, then by the end of its path.
 */

import { isBuiltin } from 'node:module';
import { oneLine } from '../../text/visible.ts';
import { isManifest } from '../languages.ts';

/** File extensions that an import omits or replaces: `./store.js` in a TypeScript file means `store.ts`. */
const EXTENSIONS = /(?:\.d)?\.(?:[cm]?[jt]sx?|pyi?|java|kts?|scala|rb|php|lua|cs|rs|go|sh|vue|svelte)$/;

/** Files by which a directory is imported. */
const INDEX = /\/(?:index|__init__|mod|main|lib|init)$/;

/** Maximum files of one module: a package of Go or Java consists of many. */
const MAX_MODULE_FILES = 200;

/** What a language says about the paths of modules. */
interface ModuleRules {
  /** The paths of importing files. */
  readonly files: RegExp;
  /** Modules outside the tree, unless their whole path is beside the importing file. */
  readonly outside?: RegExp | undefined;
  /** Whether a module may lie below a directory (`a/b/`; empty: the tree itself). Absent: below every one. */
  isRoot?(directory: string, exact: ReadonlyMap<string, number>): boolean;
  /** Whether leading parts (a prefix that a build file maps) and trailing ones (a nested name) may be dropped. */
  readonly leading: boolean;
  readonly trailing?: boolean | undefined;
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;
const RUST = /\.rs$/;

const MODULE_RULES: readonly ModuleRules[] = [
  // A name alone is a package.
  { files: SCRIPT, outside: /^(?:[^/]+|[a-z]+:.*)$/, leading: true },
  {
    files: /\.pyi?$/,
    isRoot: (directory, exact) => !exact.has(`${directory}__init__`),
    leading: true,
  },
  { files: /\.go$/, outside: /^[^/]+$/, leading: true },
  // The standard library, and the variants of an enumeration.
  { files: RUST, outside: /^(?:(?:std|core|alloc)\b|[A-Z])/, leading: true },
  { files: /\.java$/, leading: false, trailing: true },
  { files: /\.(?:kts?|scala)$/, leading: true, trailing: true },
  {
    files: /\.rb$/,
    isRoot: (directory) => /^$|(?:^|\/)(?:lib|tests?|spec)\/$/.test(directory),
    leading: true,
  },
  { files: /\.php$/, outside: /^\w+$/, leading: true },
];
const OTHER_RULES: ModuleRules = { files: /^/, leading: true };

/** Directories of what was compiled from `src/`. */
const COMPILED_TO = /^(?:\.\/)?(?:(?:dist|lib|build|out|esm?|cjs|types)\/)+/;

/** What a manifest says that a name means: a path below its directory. Both may have a star for a part. */
interface ModuleAlias {
  readonly manifest: string;
  readonly name: string;
  readonly target: string;
}

/** Where the files of a package are. */
const PACKAGE_ROOTS = ['src/', '', 'lib/'];

export class ModuleResolver {
  readonly #paths: readonly string[];
  /** Each form of a path (see `formsOf`) to the 0-based position of the file. */
  readonly #exact = new Map<string, number>();
  /** The files directly in each directory. */
  readonly #byDirectory = new Map<string, number[]>();
  /** The directories (`a/b/`) of modules of Go by their own names, the outermost first. */
  readonly #goModules = new Map<string, string[]>();
  /** What packages say of themselves, by their names, and settings, by their directory: the longest names first. */
  readonly #packages = new Map<string, ModuleAlias[]>();
  readonly #settings = new Map<string, ModuleAlias[]>();
  /** Cached results of `#byEnd`: thousands of files import the same packages. */
  readonly #found = new Map<string, readonly number[]>();
  #files: PathSuffixes<number> | undefined;
  #directories: PathSuffixes<readonly number[]> | undefined;

  readonly #top: string;

  /**
   * `paths` are relative to a directory with the name `top`, separated by `/`. `importsOf`: what a manifest says, by its
   * 0-based position (see manifest.ts).
   */
  constructor(
    paths: readonly string[],
    top: string,
    importsOf: (file: number) => readonly string[] = () => [],
  ) {
    this.#paths = paths;
    this.#top = top;
    const manifests: number[] = [];
    paths.forEach((path, i) => {
      for (const form of formsOf(path)) if (!this.#exact.has(form)) this.#exact.set(form, i);
      add(this.#byDirectory, directoryOf(path), i);
      if (isManifest(path) || /(?:^|\/)go\.mod$/.test(path)) manifests.push(i);
    });
    const depth = (file: number): number => directoryOf(paths[file] as string).length;
    for (const file of manifests.toSorted((a, b) => depth(a) - depth(b))) {
      const manifest = paths[file] as string;
      const directory = directoryOf(manifest);
      const isSettings = /config[^/]*$/.test(manifest);
      if (manifest.endsWith('go.mod'))
        add(this.#goModules, directory.slice(directory.lastIndexOf('/') + 1) || top, slashed(directory));
      for (const line of importsOf(file)) {
        const [name = '', target = ''] = line.split('\t');
        if (isSettings || name.startsWith('#')) add(this.#settings, directory, { manifest, name, target });
        else add(this.#packages, packageOf(name), { manifest, name, target });
      }
    }
    for (const aliases of [...this.#packages.values(), ...this.#settings.values()])
      aliases.sort((a, b) => b.name.length - a.name.length);
  }

  /**
   * The 0-based positions of the files that `module` may mean in the file `from` (a path); empty for a module outside the tree.
   * `declares`: whether a file declares a name, for modules that are names in a package.
   */
  filesOf(
    module: string,
    from: string,
    declares: (file: number, name: string) => boolean = () => false,
  ): readonly number[] {
    if (module.startsWith('.') && !/^\.+\w/.test(module)) return this.#relative(module, from);
    // Relative imports of Python: `.models`, `..util`.
    const dots = /^\.+/.exec(module)?.[0].length ?? 0;
    if (dots > 0)
      return this.#relative(`./${'../'.repeat(dots - 1)}${module.slice(dots).replaceAll('.', '/')}`, from);
    const rules = MODULE_RULES.find(({ files }) => files.test(from)) ?? OTHER_RULES;
    const isRust = RUST.test(from);
    const inCrate =
      isRust && /^(?:crate|self|super)\b/.test(module) ? this.#inCrate(module, from) : undefined;
    if (inCrate !== undefined) return [inCrate];
    const isScript = SCRIPT.test(from);
    const aliased = isScript ? this.#bySettings(module, from) : undefined;
    if (aliased) return aliased;
    if (isScript && isBuiltin(module)) return [];
    // In a script, in Go and in a package of Python, `logging` is not the file beside.
    const isAbsolute =
      isScript ||
      from.endsWith('.go') ||
      (/\.pyi?$/.test(from) && this.#exact.has(`${directoryOf(from)}/__init__`));
    const beside = isAbsolute ? [] : this.#relative(`./${module}`, from);
    if (beside.length > 0) return beside;
    if (isRust && rules.outside?.test(module)) return [];
    const key = `${MODULE_RULES.indexOf(rules)} ${module}`;
    const known =
      this.#found.get(key) ?? this.#inPackage(module, from) ?? this.#byEnd(module, rules, declares);
    this.#found.set(key, known);
    return known;
  }

  /**
   * `crate::util::help` of Rust: `help` of util.rs beside the nearest lib.rs or main.rs, or a name in that one; `self` and
   * `super`: the module that the file is, and the one around it.
   */
  #inCrate(module: string, from: string): number | undefined {
    const names = module.split('::');
    if (names[0] !== 'crate') {
      const own = from.replace(EXTENSIONS, '').replace(INDEX, '');
      const up = names.filter((name) => name === 'super').length;
      const parts = own.split('/');
      const rest = names.filter((name) => name !== 'super' && name !== 'self');
      return this.#named(`${parts.slice(0, Math.max(0, parts.length - up)).join('/')}/`, rest);
    }
    let directory = from;
    while (directory !== '') {
      directory = directoryOf(directory);
      const below = directory === '' ? '' : `${directory}/`;
      const root = this.#exact.get(`${below}lib.rs`) ?? this.#exact.get(`${below}main.rs`);
      if (root !== undefined) return this.#named(below, names.slice(1)) ?? root;
    }
    return undefined;
  }

  /** The file of the longest beginning of `names` below a directory (`a/b/`), or of the directory itself. */
  #named(below: string, names: readonly string[]): number | undefined {
    for (let count = names.length; count >= 0; count -= 1) {
      const path = [...below.split('/').filter(Boolean), ...names.slice(0, count)].join('/');
      const found = this.#exact.get(path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The files of a module in a package of the tree; undefined if it is in none. */
  #inPackage(module: string, from: string): readonly number[] | undefined {
    if (from.endsWith('.go')) return this.#goPackage(module.split('/'));
    const isRust = RUST.test(from);
    if (!isRust && !SCRIPT.test(from)) return undefined;
    const name = packageOf(module);
    const inner = module
      .slice(name.length)
      .split(isRust ? '::' : '/')
      .slice(1);
    const all = this.#packages.get(name) ?? [];
    const aliases = all.filter(({ manifest }) => manifest.endsWith('.toml') === isRust);
    const entry = isRust ? undefined : this.#aliased(module, aliases);
    if (entry) return entry;
    for (const { manifest, target } of aliases) {
      for (const root of isRust && target !== '' ? [slashed(directoryOf(target))] : PACKAGE_ROOTS) {
        const inside = `${slashed(directoryOf(manifest))}${root}`;
        const found = isRust
          ? this.#named(inside, inner)
          : this.#exact.get([inside.replace(/\/$/, ''), ...inner].filter(Boolean).join('/'));
        if (found !== undefined) return [found];
      }
      const main = isRust ? this.#relative(`./${target}`, manifest) : [];
      if (main.length > 0) return main;
    }
    return module.startsWith('@') && inner.length === 0 ? [] : undefined;
  }

  /** The file of a module by the settings of the nearest directory that say it; undefined if none do. */
  #bySettings(module: string, from: string): readonly number[] | undefined {
    if (this.#settings.size === 0) return undefined;
    for (let directory = from; directory !== '';) {
      directory = directoryOf(directory);
      const found = this.#aliased(module, this.#settings.get(directory) ?? []);
      if (found) return found;
    }
    return undefined;
  }

  /** The file of the first alias that leads to one: if it was compiled, its source. */
  #aliased(module: string, aliases: readonly ModuleAlias[]): readonly number[] | undefined {
    for (const { manifest, name, target } of aliases) {
      const star = name.indexOf('*');
      const isMeant =
        star === -1
          ? module === name
          : module.length >= name.length - 1 &&
            module.startsWith(name.slice(0, star)) &&
            module.endsWith(name.slice(star + 1));
      if (!isMeant || target === '') continue;
      const path = target.replace('*', () => module.slice(star, star + 1 + module.length - name.length));
      const source = manifest.endsWith('package.json') ? path.replace(COMPILED_TO, 'src/') : path;
      for (const one of [source, path]) {
        const found = this.#relative(`./${one}`, manifest);
        if (found.length > 0) return found;
      }
    }
    return undefined;
  }

  /** `host/owner/name/v2/doc`: the files in `doc/` of the module `name`. */
  #goPackage(parts: readonly string[]): readonly number[] | undefined {
    for (let at = parts.length - 1; at >= 0; at -= 1) {
      for (const directory of this.#goModules.get(parts[at] as string) ?? []) {
        // Without a host, as in `net/http`, the whole path of the module is its name.
        if (at > 0 && directory !== '' && parts[0]?.includes('.') === false) continue;
        const below = parts.slice(at + 1).filter((part, i) => i > 0 || !/^v\d+$/.test(part));
        const files = this.#byDirectory.get(
          directory.replace(/\/$/, '') + below.map((one) => `/${one}`).join(''),
        );
        const code = files?.filter((file) => /(?<!_test)\.go$/.test(this.#paths[file] as string)) ?? [];
        if (code.length > 0) return code.slice(0, MAX_MODULE_FILES);
      }
    }
    return undefined;
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
  #byEnd(
    module: string,
    { outside, isRoot, leading, trailing }: ModuleRules,
    declares: (file: number, name: string) => boolean,
  ): readonly number[] {
    if (outside?.test(module)) return [];
    const parts = (
      /[/\\]/.test(module) ? module.replace(EXTENSIONS, '') : module.replace(/::/g, '.').replaceAll('.', '/')
    )
      .replace(/^[@~#]\/?/, '')
      .split(/[/\\]/)
      .filter((part) => part !== '');
    // If the tree is the package `shop` itself, `shop.lexers` is `lexers` in it.
    const inside = this.#exact.get(parts.slice(parts.indexOf(this.#top) + 1).join('/'));
    if (inside !== undefined && parts.length > 1 && parts.includes(this.#top)) return [inside];
    this.#files ??= new PathSuffixes(
      this.#paths.flatMap((path, i) => formsOf(path).map((form) => [form, i] as const)),
    );
    this.#directories ??= new PathSuffixes([...this.#byDirectory]);
    // `@scope/name/a/b` is no `a/b` of the tree.
    const most = leading && !/^@[^/]/.test(module) ? Math.min(parts.length, 6) : 1;
    for (let first = 0; first < most; first += 1) {
      const end = parts.slice(first).join('/');
      // The last part alone would match too many files.
      if (first > 0 && parts.length - first < 2) break;
      const below = (file: number): boolean =>
        formsOf(this.#paths[file] as string).some(
          (form) =>
            (form === end || form.endsWith(`/${end}`)) &&
            isRoot?.(form.slice(0, -end.length), this.#exact) !== false,
        );
      const files = [...new Set(this.#files.withSuffix(end))].filter(below).sort((a, b) => a - b);
      if (files.length > 0) return files.slice(0, MAX_MODULE_FILES);
      const inDirectory = this.#byDirectory.get(end) ?? this.#directories.withSuffix(end)[0] ?? [];
      if (inDirectory.length > 0 && !isRoot) return inDirectory.slice(0, MAX_MODULE_FILES);
      if (!trailing || parts.length - first < (first === 0 ? 2 : 3)) continue;
      // `a.b.C.run` is a name in the class `a.b.C`, `a.b.run` a function in a file of the package `a.b`.
      const outer = parts.slice(first, -1).join('/');
      const name = parts.at(-1) ?? '';
      const around = [...this.#files.withSuffix(outer), ...this.#directories.withSuffix(outer).flat()];
      const declaring = [...new Set(around)].filter((file) => declares(file, name));
      if (declaring.length > 0) return declaring.slice(0, MAX_MODULE_FILES);
    }
    return [];
  }
}

/** The name of the package of a module, as packages are looked up: `grep_matcher` of Rust is `grep-matcher`. */
function packageOf(module: string): string {
  const [name] = /^(?:@[^/]*\/)?[^/:]+/.exec(module) ?? [module];
  return name.replaceAll('_', '-').toLowerCase();
}

/** `"a/b"` → `"a/b/"`; the tree itself is empty. */
function slashed(directory: string): string {
  return directory === '' ? '' : `${directory}/`;
}

/** The paths by which a file is imported: with and without extension, and for an index file that of its directory. */
function formsOf(path: string): string[] {
  const stem = path.replace(EXTENSIONS, '');
  return [...new Set([path, stem, stem.replace(INDEX, '')])];
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

// Finds paths by their last names, with binary search, because a large tree has very many imports.

/** Maximum results. */
const MAX_SUFFIX_MATCHES = 1_000;

export class PathSuffixes<T> {
  /** Sorted. Each is a path with its names in reverse order, each followed by a slash. */
  readonly #keys: readonly string[];
  readonly #values: readonly T[];

  constructor(entries: readonly (readonly [path: string, value: T])[]) {
    const sorted = entries
      .map(([path, value]) => [reversed(path), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#keys = sorted.map(([key]) => key);
    this.#values = sorted.map(([, value]) => value);
  }

  /** The values of paths that equal `suffix` or end in `/` and `suffix`, at most 1,000 of them. */
  withSuffix(suffix: string): readonly T[] {
    const wanted = reversed(suffix);
    const from = this.#firstFrom(wanted);
    let to = from;
    while (to < this.#keys.length && to - from < MAX_SUFFIX_MATCHES && this.#keys[to]?.startsWith(wanted))
      to += 1;
    return this.#values.slice(from, to);
  }

  /** The 0-based position of the first key that is not less than `key`. */
  #firstFrom(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** `"a/b/c.ts"` → `"c.ts/b/a/"`. */
function reversed(path: string): string {
  return `${path.split('/').toReversed().join('/')}/`;
}

// Classifies files by their paths: compiled, generated, test and documentation files.

/** Compiled output, which is often beside its source. It is not indexed. */
const COMPILED = /\.(?:py[co]|class|o|obj|a|lib|so|dylib|dll|exe|wasm|beam|elc)$/;

const GENERATED =
  /\.(?:min\.\w+|lock|snap|pb\.go|map)$|_pb2(?:_grpc)?\.py$|(?:^|\/)(?:package-lock\.json|yarn\.lock)$/i;
const OUTPUT_OR_VENDORED =
  /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|generated|__generated__|__snapshots__|fixtures?|testdata)\//i;
const TESTS =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|bench(?:mark)?s?)\/|[._-](?:test|spec|bench)\.\w+$|(?:^|\/)test_[^/]*$|_test\.\w+$/i;
/** Case-sensitive: `StoreTest.java`, but not `latest.ts`. */
const TEST_CLASS = /Tests?\.\w+$/;
const DOCUMENTATION = /(?:^|\/)(?:docs?|documentation|examples?|samples?|demos?|site|website)\//i;

export function isCompiled(path: string): boolean {
  return COMPILED.test(path);
}

/** The factor on the rank of a file: 1 for source code, less for documentation, tests, vendored and generated files, in this order. */
export function pathWeight(path: string): number {
  if (GENERATED.test(path)) return 0.02;
  if (OUTPUT_OR_VENDORED.test(path)) return 0.05;
  if (TESTS.test(path) || TEST_CLASS.test(path)) return 0.15;
  return DOCUMENTATION.test(path) ? 0.2 : 1;
}

// How the path of a file is written in a map, where a name ends at a blank and a list of names begins after `: `.

/** A file name with a blank, or a path with a character that has a meaning in a map, or that begins with a blank. */
const AMBIGUOUS = /\s[^/]*$|[*:'"{}]|^\s/;

/** Whether a path on one line needs quotes. */
export function isAmbiguous(shown: string): boolean {
  return AMBIGUOUS.test(shown);
}

/** `src/a.ts` → `src/a.ts`; `my file.ts` → `'my file.ts'`, quoted as in a shell. */
export function pathWord(path: string): string {
  const shown = oneLine(path);
  return isAmbiguous(shown) ? `'${shown.replaceAll("'", `'\\''`)}'` : shown;
}
