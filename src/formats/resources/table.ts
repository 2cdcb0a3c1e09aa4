/**
 * The built-in URL schemes, with their table at the end. Large ones import their implementation at the first use. The
 * table itself is imported with the first URL, because most reads are of paths.
 */

import { join } from 'node:path';
import { isOrielError, OrielError } from '../../errors.ts';
import { createAccess } from '../../files/local.ts';
import { packageDirectory } from '../../files/package-files.ts';
import { MEMORY_DIRECTORY, SKILL_DIRECTORIES, userDirectory } from '../../files/user-settings.ts';
import { binarySize } from '../../render/display.ts';
import { candidates, everything, isSelector, parseSelection, withPath } from '../../selector/selection.ts';
import { memoryBytes, readSourceHead } from '../../text/bytes.ts';
import { quote } from '../../text/visible.ts';
import type { FileAccess } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { SpillStore } from '../../types/session.ts';
import type { HostScheme, Settings } from '../../types/settings.ts';
import { selectionOf } from '../text/open.ts';
import { agentScheme } from './agent.ts';
import {
  accessToUserFiles,
  filesIn,
  hiddenByRoots,
  inDirectory,
  type NamedDirectory,
  namedScheme,
  openListed,
} from './named-files.ts';
import { byName, type ListedName, listNames, type NameList, type UrlScheme } from './names.ts';

// The scheme `artifact://N`: the full output of a truncated answer, with any selector.

const artifactScheme: UrlScheme = {
  name: 'artifact',
  async open(rest, call) {
    if (rest === '' || rest.startsWith(':')) {
      const { spills } = call.session;
      const kept = ((await spills.listAll?.()) ?? spills.list()).map(({ url, bytes }) => ({
        name: url.slice('artifact://'.length),
        about: binarySize(bytes),
      }));
      return listNames('artifact', rest, { names: kept, more: false }, 'no output has been kept');
    }
    const [, number, selector = ''] = /^(\d{1,15})(?::(.*))?$/s.exec(rest) ?? [];
    if (number === undefined) {
      throw new OrielError(
        'BAD_PATH',
        `${quote(`artifact://${rest}`)} names no output. Use artifact:// for the list of those that were kept.`,
        { next: 'artifact://' },
      );
    }
    const target = `artifact://${Number(number)}`;
    const selection = selectionOf({ typed: target, rest: selector });
    const { file, capped } = await call.session.spills.open(Number(number)).catch((error: unknown) => {
      throw withSelector(error, selector);
    });
    call.onEnd(() => file.close());
    const said = `${target} holds the first ${binarySize(file.size)} of its output; the rest was not kept`;
    return {
      kind: 'text',
      format: 'internal',
      bytes: file.bytes,
      // Offsets and line numbers in notices refer to the text as UTF-8.
      encoding: 'utf-8',
      selection,
      target,
      name: `${Number(number)}.log`,
      display: 'lines',
      editable: false,
      facts: { path: file.path },
      notes: capped ? [{ kind: 'said', text: said }] : undefined,
    };
  },
};

/** Adds the selector to the next call of a `BUSY` error, which advises to repeat the call. */
function withSelector(error: unknown, selector: string): unknown {
  if (!isOrielError(error) || error.code !== 'BUSY' || error.next === undefined || selector === '')
    return error;
  return new OrielError(error.code, error.message, { next: `${error.next}:${selector}`, cause: error });
}

// The schemes whose implementation is imported at the first use: the repository of the working directory, issues and pull requests with their diffs on GitHub,
// resources of MCP servers (`mcp://SERVER/URI`), objects of S3 and compatible servers (`s3://BUCKET/KEY`), and files of
// remote workspaces (`ws://NAME/path`).

const importedSchemes: readonly UrlScheme[] = [
  {
    name: 'git',
    open: async (rest, call) => (await import('../git/open.ts')).openGit(rest, call),
  },
  {
    name: 'issue',
    isOn: ({ web }) => web !== false,
    open: async (rest, call) => (await import('../github/open.ts')).openGitHub('issue', rest, call),
  },
  {
    name: 'mcp',
    isOn: ({ mcpServers }) => mcpServers !== undefined,
    open: async (rest, call) => (await import('../mcp/open.ts')).openMcp(rest, call),
  },
  {
    name: 'pr',
    isOn: ({ web }) => web !== false,
    open: async (rest, call) => (await import('../github/open.ts')).openGitHub('pr', rest, call),
  },
  {
    name: 's3',
    isOn: ({ s3 }) => s3 !== false,
    open: async (rest, call) => (await import('../s3/open.ts')).openObject(rest, call),
  },
  {
    name: 'ws',
    isOn: ({ workspaces }) => Object.keys(workspaces).length > 0,
    open: async (rest, call) => (await import('../workspace/open.ts')).openWorkspace(rest, call),
  },
];

// A scheme that is read by a function of the host: `ticket://42`.

/** The whole text is tried as a name first, then shorter ones whose rest can be a selector. */
const hostScheme = (name: string, read: HostScheme): UrlScheme => ({
  name,
  async open(rest, { signal }) {
    for (const way of candidates(rest)) {
      if (way.rest !== '' && !isSelector(way.rest)) continue;
      const content = await read(way.path, { signal });
      if (content === undefined) continue;
      const target = `${name}://${way.path}`;
      return {
        kind: 'text',
        format: 'internal',
        bytes: memoryBytes(content),
        encoding: typeof content === 'string' ? 'utf-8' : 'stored',
        selection: withPath(target, () => parseSelection(way.rest)) ?? everything,
        target,
        name: way.path,
        display: 'lines',
        editable: false,
      };
    }
    if (rest === '') {
      throw new OrielError('NOT_FOUND', `${name}:// has no list. Use it with a name: ${name}://NAME.`);
    }
    const why = `${quote(`${name}://${rest}`)} does not exist`;
    const list = await read('', { signal });
    if (list === undefined) throw new OrielError('NOT_FOUND', `${why}, and ${name}:// has no list of names.`);
    throw new OrielError('NOT_FOUND', `${why}. Use ${name}:// for the list.`, { next: `${name}://` });
  },
});

// The scheme `local://NAME`: files in the scratch directory of the session, where commands may write them.

const localScheme = namedScheme({
  scheme: 'local',
  places: (call) => [placeOf(call)],
  names: filesIn,
  empty: ([place]) => `empty. Files in ${place?.directory} are read as local://NAME`,
});

/** Opened once per session, so that another directory that replaces it later is not entered. */
const places = new WeakMap<SpillStore, NamedDirectory>();

/** A place with its own access: it is outside the roots of the session, and gives access to nothing else. */
function placeOf({ session: { spills } }: Call): NamedDirectory {
  const directory = join(spills.directory, 'local');
  const known = places.get(spills);
  if (known?.directory === directory) return known;
  const made = newPlace(spills, directory);
  places.set(spills, made);
  return made;
}

function newPlace(spills: SpillStore, directory: string): NamedDirectory {
  try {
    spills.local();
    const session = createAccess({ cwd: spills.directory, roots: [spills.directory], allow: [] });
    const access = createAccess({ cwd: directory, roots: [directory], allow: [] });
    if (access.roots[0] === join(session.roots[0] as string, 'local')) return { access, directory };
  } catch (cause) {
    throw gone(cause);
  }
  throw gone();
}

function gone(cause?: unknown): OrielError {
  const message = 'The scratch directory of local:// was replaced by something else. Use another session.';
  return new OrielError('DENIED', message, { cause });
}

// The scheme `memory://NAME`: persistent notes, first those of the project, then those of the user.

const memoryScheme = namedScheme({
  scheme: 'memory',
  places: (call) => [
    { access: call.access, directory: join(call.access.cwd, '.oriel/memory') },
    { access: accessToUserFiles(call), directory: join(userDirectory('data'), MEMORY_DIRECTORY) },
  ],
  names: filesIn,
  paths: (name) => [name, `${name}.md`],
  empty: ([place]) => `no notes. Write them below ${place?.directory}`,
});

// The scheme `oriel://PAGE`: oriel's own manual.

const orielScheme = namedScheme({
  scheme: 'oriel',
  places() {
    const directory = packageDirectory('docs');
    return [{ access: createAccess({ cwd: directory, roots: [directory], allow: [] }), directory }];
  },
  async names(places, call) {
    const { names, more } = await filesIn(places, call);
    return { names: names.filter(({ name }) => name.endsWith('.md')), more };
  },
  paths: (name) => [name, `${name}.md`],
  empty: () => 'the manual is not installed',
});

// The scheme `rule://NAME`: the instructions that a project gives to agents.

/** The files and directories of rules, in the order of precedence. */
const FILES = ['AGENTS.md', 'CLAUDE.md'];
const DIRECTORIES = ['.agents/rules', '.cursor/rules'];
const ENDINGS = ['', '.md', '.mdc'];

const ruleScheme = namedScheme({
  scheme: 'rule',
  places: ({ access }) => [{ access, directory: access.cwd }],
  names: rulesIn,
  /** Only rules can be named, not every file of the project. */
  paths(name) {
    const files = FILES.filter((file) => file === name || file === `${name}.md`);
    const below = DIRECTORIES.flatMap((directory) =>
      ENDINGS.map((ending) => `${directory}/${name}${ending}`),
    );
    return name === '' ? [] : [...files, ...below];
  },
  empty: () => `no rules in ${[...FILES, ...DIRECTORIES].join(', ')}`,
});

async function rulesIn([project]: readonly NamedDirectory[], call: Call): Promise<NameList> {
  if (!project) return { names: [], more: false };
  const { access, directory } = project;
  const top: string[] = [];
  for (const name of FILES) {
    const opened = await openListed(project, name, call);
    if (opened?.kind === 'file') top.push(name);
    await opened?.close();
  }
  const below = await filesIn(
    DIRECTORIES.map((rules) => ({ access, directory: join(directory, rules) })),
    call,
  );
  const rules = below.names.map(({ name }) => name).filter((name) => /\.mdc?$/.test(name));
  return { names: [...new Set([...top, ...rules])].map((name) => ({ name })), more: below.more };
}

// The scheme `skill://NAME[/file]`: Agent Skills of the project and the user. Each is a directory with a SKILL.md.

const MAX_LISTED_SKILLS = 500;

const skillScheme = namedScheme({
  scheme: 'skill',
  places: (call) => [
    ...placesBelow(call.access.cwd, call.access),
    ...placesBelow(userDirectory('home'), accessToUserFiles(call)),
  ],
  names: skillsIn,
  paths(name) {
    const skill = name.replace(/\/$/, '');
    return skill.includes('/') ? [name] : [`${skill}/SKILL.md`];
  },
  within: filesOfSkill,
  empty: (_, call) => `no skills in ${SKILL_DIRECTORIES.join(' or ')}${hiddenByRoots(call)}`,
});

function placesBelow(parent: string, access: FileAccess): readonly NamedDirectory[] {
  return SKILL_DIRECTORIES.map((directory) => ({ access, directory: join(parent, directory) }));
}

async function filesOfSkill(
  name: string,
  places: readonly NamedDirectory[],
  call: Call,
): Promise<NameList | undefined> {
  const [, skill] = /^([^/:]+)\/[^/]/.exec(name) ?? [];
  if (skill === undefined || skill.startsWith('.')) return undefined;
  const inside = places.map(({ access, directory }) => ({ access, directory: join(directory, skill) }));
  const { names, more } = await filesIn(inside, call);
  return names.length === 0
    ? undefined
    : { names: names.map((one) => ({ name: `${skill}/${one.name}` })), more };
}

async function skillsIn(places: readonly NamedDirectory[], call: Call): Promise<NameList> {
  const skills = new Map<string, ListedName>();
  let more = false;
  for (const place of places) {
    await inDirectory(place, call, async (directory) => {
      const listed = await directory.list(MAX_LISTED_SKILLS, call.signal);
      more ||= listed.more;
      const entries = listed.entries.filter(({ type }) => type === 'directory' || type === 'link');
      for (const { name } of entries) {
        if (skills.has(name)) continue;
        const about = await descriptionOf(place, name, call);
        if (about !== undefined) skills.set(name, { name, about: about !== '' ? about : undefined });
      }
    });
  }
  return { names: [...skills.values()].sort(byName), more };
}

/** The `description` in the front matter of SKILL.md, as one line; undefined if there is no such file. */
async function descriptionOf(place: NamedDirectory, name: string, call: Call): Promise<string | undefined> {
  const opened = await openListed(place, join(name, 'SKILL.md'), call);
  try {
    if (opened?.kind !== 'file') return undefined;
    const head = new TextDecoder().decode(await readSourceHead(opened.bytes, call.signal));
    const matter = /^---\r?\n([\s\S]*?)\n---/.exec(head)?.[1] ?? '';
    const [, block, first = '', others = ''] =
      /^description:[ \t]*([>|][+-]?)?[ \t]*(.*)((?:\r?\n(?:[ \t]+.*|(?=\r?\n)))*)/m.exec(matter) ?? [];
    const value = block === undefined && first === '' && others === '' ? '' : `${first} ${others}`;
    return value
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2');
  } finally {
    await opened?.close();
  }
}

export const schemes: readonly UrlScheme[] = [
  agentScheme,
  artifactScheme,
  localScheme,
  memoryScheme,
  orielScheme,
  ruleScheme,
  skillScheme,
  ...importedSchemes,
];

/**
 * The scheme of a target such as `artifact://3`, and the text after it; undefined for paths. Schemes of the host take
 * precedence. A scheme that is off reports this when it is opened. An unknown scheme throws `UNSUPPORTED` with the
 * available ones.
 */
export function schemeOf(
  target: string,
  settings: Settings,
): { scheme: UrlScheme; rest: string } | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(target);
  const name = match?.[1]?.toLowerCase();
  if (name === undefined || name === 'file') return undefined;
  const { schemes: ofHost } = settings;
  const given = Object.hasOwn(ofHost, name) ? ofHost[name] : undefined;
  const scheme = given ? hostScheme(name, given) : schemes.find((known) => known.name === name);
  if (scheme && given !== false) return { scheme, rest: match?.[2] ?? '' };
  const ours = schemes.filter((one) => one.isOn?.(settings) ?? true).map((one) => one.name);
  const known = [...new Set([...ours, ...Object.keys(ofHost)])].filter((one) => ofHost[one] !== false).sort();
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(`${name}://`)} is not read here. Use a path like src/app.ts, or one of ` +
      `${known.map((one) => `${one}://`).join(', ')}.`,
    { next: '.' },
  );
}
