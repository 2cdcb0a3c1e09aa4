/** Finds the tools of a server for reading, listing and searching, by name and schema or from a mapping file. */

import * as z from 'zod/mini';
import { oriel } from './oriel.ts';
import { BrokenLaw, type ServerAnswer, shows } from './outcome.ts';
import { PLAIN, PLAIN_TEXT, PLAIN_WORD } from './sandbox.ts';

export const roles = ['read', 'list', 'search'] as const;
export type ToolRole = (typeof roles)[number];

/** A tool with the names of its arguments. */
export interface MappedTool {
  readonly tool: string;
  readonly path: string;
  /** The argument for the pattern of a search. */
  readonly pattern?: string | undefined;
  /** Further arguments of every call. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools that may fit a role, the best match first. */
type RoleCandidates = Partial<Record<ToolRole, readonly MappedTool[]>>;

export type RoleMapping = Partial<Record<ToolRole, MappedTool>>;

export interface ServerTool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>> | undefined;
    readonly required?: readonly string[] | undefined;
  };
}

/** Names as the protocol allows them. Source: the specification of MCP, Tool Names. */
const TOOL_NAME = /^[\w./-]{1,128}$/;

const PATH = /^(?:path|file|file_?path|filename|target_file|dir|directory|directory_path|folder|root)$/i;
const PATTERN = /^(?:pattern|query|regex|regexp|search|text|q)$/i;

/** Names of tools by role, the best match first. */
const NAMES: Readonly<Record<ToolRole, readonly RegExp[]>> = {
  read: [
    /^read$/,
    /^read_text_file$/,
    /^read_?file$/i,
    /^(?:view|cat|open)(?:_?file)?$/i,
    /(?:^|_)(?:read|view|get)_(?:\w+_)?file(?:_contents?|_lines)?$/i,
  ],
  list: [
    /^(?:ls|list)$/,
    /^list_?(?:directory|dir|files)$/i,
    /^(?:directory_)?tree$/i,
    /list_(?:directory|dir|files)$/i,
  ],
  search: [/^grep$/, /grep/i, /^search_?(?:content|code|files|in_files)$/i, /search/i],
};

/** Most tools that are tried for a role. */
const MAX_ROLE_CANDIDATES = 5;

/** A tool fits a role if it can be called with a path (a search also with a pattern) and requires nothing else. */
export function candidatesIn(tools: readonly ServerTool[]): RoleCandidates {
  const named = (role: ToolRole): readonly MappedTool[] => {
    const fitting = NAMES[role].flatMap((name) =>
      tools
        .filter((tool) => TOOL_NAME.test(tool.name) && name.test(tool.name))
        .flatMap((tool) => fit(tool, role)),
    );
    const first = fitting.filter(({ tool }, i) => fitting.findIndex((one) => one.tool === tool) === i);
    return first.slice(0, MAX_ROLE_CANDIDATES);
  };
  const [read, search] = [named('read'), named('search')];
  // The read tool of some servers also lists directories.
  return { read, list: [...named('list'), ...read], search };
}

function fit(
  { name, inputSchema: { properties = {}, required = [] } }: ServerTool,
  role: ToolRole,
): MappedTool[] {
  const names = Object.keys(properties);
  const path = names.find((one) => PATH.test(one));
  const pattern = role === 'search' ? names.find((one) => PATTERN.test(one)) : undefined;
  if (path === undefined || (role === 'search' && pattern === undefined)) return [];
  if (required.some((one) => one !== path && one !== pattern)) return [];
  return [{ tool: name, path, pattern }];
}

const mappedShape = z.strictObject({
  tool: z.string(),
  path: z.string(),
  pattern: z.optional(z.string()),
  arguments: z.optional(z.record(z.string(), z.unknown())),
});
const shape = z.strictObject({
  read: z.optional(mappedShape),
  list: z.optional(mappedShape),
  search: z.optional(mappedShape),
});

/** Throws `BAD_INPUT` for an invalid mapping, and for tools that the server does not have. */
export function parseMapping(text: string, tools: readonly ServerTool[]): RoleCandidates {
  let mapping: z.infer<typeof shape>;
  try {
    mapping = shape.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      'The mapping is not valid. Use {"read":{"tool":"NAME","path":"ARGUMENT"}}, and "list" and "search" (with "pattern") likewise.';
    throw new oriel.OrielError('BAD_INPUT', message, { cause });
  }
  const names = tools.map(({ name }) => name);
  for (const { tool = '' } of Object.values(mapping as RoleMapping)) {
    if (!names.includes(tool)) {
      const has =
        names.length > 0 ? `Use one of ${names.slice(0, 20).map(oriel.quote).join(', ')}.` : 'It has none.';
      throw new oriel.OrielError('BAD_INPUT', `The server has no tool ${oriel.quote(tool)}. ${has}`);
    }
  }
  return Object.fromEntries(Object.entries(mapping).map(([role, tool]) => [role, [tool]])) as RoleCandidates;
}

// Chooses the tools that are checked: each must do its job once on the sandbox. A case that uses a tool for something that it
// does not do would hold, and mean nothing.

export interface ChosenTools {
  readonly roles: RoleMapping;
  /** Why a role has no tool, although one was found by its name. */
  readonly without: Readonly<Partial<Record<ToolRole, string>>>;
}

/** Calls a tool: `pattern` for a search. Throws `BrokenLaw`. */
type TryTool = (tool: MappedTool, path: string, pattern?: string) => Promise<ServerAnswer>;

/**
 * `mapped`: the candidates are named by the user, and one that fails is an error. Otherwise a role for which none works is left
 * out, but for reading: nothing can be checked without. Throws `BAD_INPUT`.
 */
export async function chooseTools(
  candidates: RoleCandidates,
  mapped: boolean,
  call: TryTool,
): Promise<ChosenTools> {
  const chosen: RoleMapping = {};
  const without: Partial<Record<ToolRole, string>> = {};
  for (const role of roles) {
    let why: string | undefined;
    for (const tool of candidates[role] ?? []) {
      const failure = await failureOf(role, tool, call);
      if (failure === undefined) {
        chosen[role] = tool;
        break;
      }
      why ??= `${oriel.quote(tool.tool)} does not ${WHAT[role]}: ${failure}`;
    }
    if (chosen[role] || why === undefined) continue;
    if (mapped || role === 'read') {
      const use = 'Name the directory with {} in the command, or the tools with --map.';
      throw new oriel.OrielError('BAD_INPUT', `${why}. ${use}`);
    }
    without[role] = why;
  }
  return { roles: chosen, without };
}

const WHAT: Readonly<Record<ToolRole, string>> = {
  read: 'read a small file of the sandbox',
  list: 'list the directory of the sandbox',
  search: 'search the directory of the sandbox',
};

/** What the answer lacks if the tool does something else. */
const LACKS: Readonly<Record<ToolRole, string>> = {
  read: 'its text is not in the answer',
  list: `the answer does not name ${PLAIN}`,
  search: `a word inside ${PLAIN} is not found`,
};

/** Why a tool cannot be checked at all; undefined if it can. Which laws it breaks is left to the cases. */
async function failureOf(role: ToolRole, tool: MappedTool, call: TryTool): Promise<string | undefined> {
  try {
    const answer = await (role === 'read' ? call(tool, PLAIN) : call(tool, '.', PLAIN_WORD));
    if (answer.isError) return oriel.quote(answer.text.replace(/\.$/, ''));
    return shows(answer, ...SHOWN[role]) ? undefined : `${LACKS[role]}; ${answered(answer.text.trim())}`;
  } catch (error) {
    if (!(error instanceof BrokenLaw)) throw error;
    return role === 'read' ? oriel.quote(error.message) : undefined;
  }
}

/** One of them is in the answer of a tool that works. A search may tell the name of the file, or its line. */
const SHOWN: Readonly<Record<ToolRole, readonly string[]>> = {
  read: [PLAIN_TEXT],
  list: [PLAIN],
  search: [PLAIN, PLAIN_TEXT],
};

const answered = (text: string): string =>
  text === '' ? 'the answer is empty' : `it answers "${oriel.quote(text)}"`;
