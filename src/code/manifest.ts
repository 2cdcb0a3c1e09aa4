/** What manifests of packages and settings of compilers say that imported names mean. */

/** Maximum targets of a name in a manifest, and characters of the name with one of them. */
const MAX_TARGETS = 20;
const MAX_ALIAS_CHARACTERS = 512;

/**
 * For each name that importers write a line: the name, a tab, and what it means below the directory of the manifest. Empty if
 * nothing is understood.
 */
export function manifestLines(text: string, language: string): string[] {
  const lines = language === 'toml' ? namesOfCargo(text) : namesOfJson(text);
  // A long name would be copied for each of its targets.
  return lines.filter((line) => line.length <= MAX_ALIAS_CHARACTERS && !/[\n\0]/.test(line));
}

function namesOfCargo(text: string): string[] {
  const valueOf = (section: string, key: string): string | undefined =>
    new RegExp(`^\\[${section}\\](?:(?!^\\[)[^])*?^${key}\\s*=\\s*"([^"]+)"`, 'm').exec(text)?.[1];
  const name = valueOf('lib', 'name') ?? valueOf('package', 'name');
  return name === undefined ? [] : [`${name}\t${valueOf('lib', 'path') ?? ''}`];
}

/** Of a package its entries, of a compiler its `paths`. */
function namesOfJson(text: string): string[] {
  const lines: string[] = [];
  const add = (name: string, targets: unknown, below = ''): void => {
    for (const target of targetsOf(targets).slice(0, MAX_TARGETS)) lines.push(`${name}\t${below}${target}`);
  };
  try {
    // Settings have comments. Each alternative matches what it begins, so that this takes linear time.
    const plain = text
      .replace(/("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, '$1')
      .replace(/,(?=\s*[}\]])/g, '');
    const { name, source, exports, module, main, imports, compilerOptions } = JSON.parse(plain) as Record<
      string,
      unknown
    >;
    for (const [pattern, target] of Object.entries(imports ?? {})) add(pattern, target);
    const { baseUrl, paths } = (compilerOptions ?? {}) as Record<string, unknown>;
    const base = typeof baseUrl === 'string' ? `${baseUrl}/` : '';
    for (const [pattern, target] of Object.entries(paths ?? {})) add(pattern, target, base);
    if (base !== '') lines.push(`*\t${base}*`);
    if (typeof name !== 'string' || name === '') return lines;
    add(name, source);
    const hasPaths = Object.keys(exports ?? {}).some((key) => key.startsWith('.'));
    for (const [path, target] of Object.entries(hasPaths ? (exports as object) : { '.': exports }))
      add(name + path.slice(1), target);
    add(name, [module, main, '']);
    return lines;
  } catch {
    return lines;
  }
}

/** The files of a condition, sources first: `{ import: './a.mjs', require: './a.cjs' }`. */
function targetsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const isSource = ([key]: readonly [string, unknown]): number => Number(key === 'source');
  return Object.entries(value ?? {})
    .toSorted((a, b) => isSource(b) - isSource(a))
    .flatMap(([, one]) => targetsOf(one));
}
