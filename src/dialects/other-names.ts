/** The names that other tools use for fields and values. A field that the schema has is never renamed. */

/** The other names of each field, in the form that `folded` returns. */
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
    'dirpath',
    'searchpath',
    'searchdirectory',
    'basepath',
    'root',
    'location',
  ],
  ignoreCase: ['-i', 'caseinsensitive'],
  literal: ['-f', 'fixedstrings', 'isliteral', 'literalsearch'],
  word: ['-w', 'wholeword', 'wholewords', 'wordmatch', 'matchwholeword'],
  multiline: ['-u'],
  output: ['outputmode'],
  before: ['-b', 'contextbefore', 'beforecontext', 'contextlinesbefore', 'linesbefore', 'beforelines'],
  after: ['-a', 'contextafter', 'aftercontext', 'contextlinesafter', 'linesafter', 'afterlines'],
  context: ['-c', 'contextlines', 'surroundinglines'],
  limit: ['headlimit', 'maxresults', 'maxcount', 'maxmatches', 'numresults', 'topk'],
  sort: ['sortby'],
  command: ['cmd', 'script', 'commandline', 'commands'],
  cwd: ['workdir', 'workingdirectory', 'workingdir', 'directory', 'dir', 'cd'],
  timeout: ['timeoutseconds', 'timeoutsecs', 'timeoutsec'],
};

/** More names, which are only used if the tool does not have the field `without`, which they could also mean. */
const NAMES_WITHOUT: readonly (readonly [field: string, without: string, names: readonly string[]])[] = [
  [
    'pattern',
    'symbol',
    [
      'query',
      'queries',
      'patterns',
      'regex',
      'regexp',
      'search',
      'searchpattern',
      'searchterm',
      'substringpattern',
      'text',
    ],
  ],
  [
    'pattern',
    'glob',
    ['glob', 'globs', 'globpattern', 'filepattern', 'filemask', 'name', 'filename', 'file', 'patterns'],
  ],
  [
    'glob',
    'symbol',
    ['include', 'includes', 'includepattern', 'includeglobs', 'pathsincludeglob', 'filepattern', '-g'],
  ],
  ['symbol', 'glob', ['symbolname', 'namepath']],
];

/** Lower case, without separators; a leading dash is kept. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/(?<!^)[-_ ]/g, '');
}

/** The field of `known` that has the other name `given`; undefined if there is none. */
export function fieldNamed(given: string, known: readonly string[]): string | undefined {
  const name = folded(given);
  const same = known.find((field) => folded(field) === name);
  if (same !== undefined) return same;
  const special = NAMES_WITHOUT.find(
    ([field, without, names]) => names.includes(name) && known.includes(field) && !known.includes(without),
  );
  if (special) return special[0];
  return known.find((field) => Object.hasOwn(NAMES, field) && NAMES[field]?.includes(name));
}

/** Values of other tools, and the equivalent values here. */
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

/** The element of `allowed` that is equivalent to `value`; otherwise `value` itself. */
export function valueNamed(value: unknown, allowed: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value;
  const name = folded(value);
  const other = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  return allowed.find((one) => one === name || one === other) ?? value;
}

/** Fields in which a model comments on its call. */
const REMARKS: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'reason',
  'reasoning',
  'thought',
  'thinking',
  'intent',
  'goal',
  'justification',
  'toolsummary',
  'toolaction',
  'taskprogress',
  'securityrisk',
  'requiresapproval',
  'waitforprevioustools',
  'withescalatedpermissions',
  'sandboxpermissions',
  'dangerouslydisablesandbox',
  '-n',
]);

/** Values that request the default behaviour, by the names of fields. */
const NOTHING: Readonly<Record<string, readonly unknown[]>> = {
  ...same([true], ['-r', '-e', '-h', '-s', '-p', 'hidden', 'includehidden', 'showhidden', 'matchperline']),
  ...same([true], ['respectgitignore', 'usedefaultexcludes', 'linenumbers', 'linenumber', 'showlinenumbers']),
  ...same(
    [true],
    ['includelinenumbers', 'withlinenumbers', 'numberlines', 'isregexp', 'isregex', 'useregex'],
  ),
  ...same([true], ['regex', 'regexp', 'includebody']),
  ...same(
    [false],
    ['isbackground', 'runinbackground', 'background', 'isurl', 'interactive', 'shouldreadentirefile'],
  ),
  ...same(
    [false],
    ['full', 'whole', 'entire', 'entirefile', 'readentirefile', 'fullpath', 'noignore', 'followsymlinks'],
  ),
  ...same([0], ['startbyte']),
  blocking: [true],
  encoding: ['utf-8', 'utf8', 'UTF-8', 'UTF8'],
  format: ['text', 'plain'],
  mode: ['slice', 'Line', 'text'],
  searchtype: ['content', 'files', 'filenames'],
  shell: ['bash', '/bin/bash', '/usr/bin/bash'],
  depth: [1],
  maxdepth: [1],
};

function same(values: readonly unknown[], names: readonly string[]): Record<string, readonly unknown[]> {
  return Object.fromEntries(names.map((name) => [name, values]));
}

/** Whether an unknown field can be ignored, because it only requests the default behaviour. */
export function asksNothing(given: string, value: unknown, known: readonly string[]): boolean {
  const name = folded(given);
  if (isBlank(value) || REMARKS.has(name)) return true;
  // Searches are recursive, lists are not.
  if (name === 'recursive' || name === 'recursively') return value === known.includes('pattern');
  if (name.endsWith('depth') && known.includes('pattern')) return false;
  if (name === 'type') return value === 'file' || (value === 'f' && known.includes('pattern'));
  if (name === 'command') return value === 'view' || value === 'read';
  return Object.hasOwn(NOTHING, name) && NOTHING[name]?.includes(value) === true;
}

function isBlank(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && value !== undefined && Object.keys(value).length === 0;
}
