/** What other tools call the fields and the values of ours. A schema that has a field of that very name is not touched. */

/** By the name of our field, in the form that `folded` gives them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    'filepath',
    'file',
    'filename',
    'targetfile',
    'absolutepath',
    'relativepath',
    'paths',
    'files',
    'relativeworkspacepath',
    'uri',
    'url',
    'directory',
    'dir',
    'folder',
    'targetdirectory',
    'directorypath',
  ],
  ignoreCase: ['-i', 'caseinsensitive'],
  literal: ['-f', 'fixedstrings', 'isliteral'],
  word: ['-w', 'wholeword', 'wordmatch'],
  multiline: ['-u'],
  output: ['outputmode'],
  before: ['-b', 'contextbefore', 'beforecontext'],
  after: ['-a', 'contextafter', 'aftercontext'],
  context: ['-c', 'contextlines'],
  limit: ['headlimit', 'maxresults', 'maxcount', 'maxmatches'],
  sort: ['sortby'],
  command: ['cmd', 'script'],
  cwd: ['workdir', 'workingdirectory', 'workingdir'],
};

/** The same where the tool has no field of a second name, which they could mean as well. */
const NAMES_WITHOUT: readonly (readonly [field: string, without: string, names: readonly string[]])[] = [
  ['pattern', 'symbol', ['query', 'regex', 'regexp', 'search', 'searchpattern', 'searchterm']],
  ['pattern', 'glob', ['glob', 'globpattern', 'filepattern', 'name']],
  ['glob', 'symbol', ['include', 'includepattern', 'filepattern', '-g']],
];

/** Without regard to case, and to separators but a dash in front. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/(?<!^)[-_ ]/g, '');
}

/** The field of `known` that `given` names in another way; undefined where there is none. */
export function fieldNamed(given: string, known: readonly string[]): string | undefined {
  const name = folded(given);
  const same = known.find((field) => folded(field) === name);
  if (same !== undefined) return same;
  const plain = known.find((field) => Object.hasOwn(NAMES, field) && NAMES[field]?.includes(name));
  if (plain !== undefined) return plain;
  return NAMES_WITHOUT.find(
    ([field, without, names]) => names.includes(name) && known.includes(field) && !known.includes(without),
  )?.[0];
}

/** By what they are called elsewhere; those of ours are known by the schema. */
const VALUES: Readonly<Record<string, string>> = {
  content: 'matches',
  lines: 'matches',
  fileswithmatches: 'files',
  filesonly: 'files',
  counts: 'count',
  mtime: 'time',
  modified: 'time',
  newest: 'time',
  name: 'path',
};

/** The one of `allowed` that `value` means; `value` where there is none. */
export function valueNamed(value: unknown, allowed: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value;
  const name = folded(value);
  const other = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  return allowed.find((one) => one === name || one === other) ?? value;
}

/** What a model says of its call, and what each answer of ours has. */
const REMARKS: ReadonlySet<string> = new Set(['description', 'explanation', 'reason', 'reasoning', '-n']);

/** Without fields that ask for nothing. */
export function withoutRemarks(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !REMARKS.has(folded(name))));
}

/** As `withoutRemarks`, with `ignoreCase` where it is given by its opposite. */
export function withoutCase(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = withoutRemarks(input);
  const name = Object.keys(fields).find((one) => folded(one) === 'casesensitive');
  if (name === undefined || typeof fields[name] !== 'boolean' || fields['ignoreCase'] !== undefined)
    return fields;
  const { [name]: isSensitive, ...others } = fields;
  return { ...others, ignoreCase: !isSensitive };
}
