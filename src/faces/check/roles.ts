/** Finds the tools of a server for reading, listing and searching, by name and schema or from a mapping file. */

import { z } from 'zod';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

export const roles = ['read', 'list', 'search'] as const;
export type Role = (typeof roles)[number];

/** A tool with the names of its arguments. */
export interface Mapped {
  readonly tool: string;
  readonly path: string;
  /** The argument for the pattern of a search. */
  readonly pattern?: string | undefined;
  /** Further arguments of every call. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools that may fit a role, the best match first. */
export type Candidates = Partial<Record<Role, readonly Mapped[]>>;

export type Mapping = Partial<Record<Role, Mapped>>;

export interface Tool {
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
const NAMES: Readonly<Record<Role, readonly RegExp[]>> = {
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
const MOST_CANDIDATES = 5;

/** A tool fits a role if it can be called with a path (a search also with a pattern) and requires nothing else. */
export function candidatesIn(tools: readonly Tool[]): Candidates {
  const named = (role: Role): readonly Mapped[] => {
    const fitting = NAMES[role].flatMap((name) =>
      tools
        .filter((tool) => TOOL_NAME.test(tool.name) && name.test(tool.name))
        .flatMap((tool) => fit(tool, role)),
    );
    const first = fitting.filter(({ tool }, i) => fitting.findIndex((one) => one.tool === tool) === i);
    return first.slice(0, MOST_CANDIDATES);
  };
  const [read, search] = [named('read'), named('search')];
  // The read tool of some servers also lists directories.
  return { read, list: [...named('list'), ...read], search };
}

function fit({ name, inputSchema: { properties = {}, required = [] } }: Tool, role: Role): Mapped[] {
  const names = Object.keys(properties);
  const path = names.find((one) => PATH.test(one));
  const pattern = role === 'search' ? names.find((one) => PATTERN.test(one)) : undefined;
  if (path === undefined || (role === 'search' && pattern === undefined)) return [];
  if (required.some((one) => one !== path && one !== pattern)) return [];
  return [{ tool: name, path, ...(pattern !== undefined && { pattern }) }];
}

const mappedShape = z.strictObject({
  tool: z.string(),
  path: z.string(),
  pattern: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const shape = z.strictObject({
  read: mappedShape.optional(),
  list: mappedShape.optional(),
  search: mappedShape.optional(),
});

/** Throws `BAD_INPUT` for an invalid mapping, and for tools that the server does not have. */
export function parseMapping(text: string, tools: readonly Tool[]): Candidates {
  let mapping: z.infer<typeof shape>;
  try {
    mapping = shape.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      'The mapping is not valid. Use {"read":{"tool":"NAME","path":"ARGUMENT"}}, and "list" and "search" (with "pattern") likewise.';
    throw new OrielError('BAD_INPUT', message, { cause });
  }
  const names = tools.map(({ name }) => name);
  for (const { tool = '' } of Object.values(mapping as Mapping)) {
    if (!names.includes(tool)) {
      const has =
        names.length > 0 ? `Use one of ${names.slice(0, 20).map(quote).join(', ')}.` : 'It has none.';
      throw new OrielError('BAD_INPUT', `The server has no tool ${quote(tool)}. ${has}`);
    }
  }
  return Object.fromEntries(Object.entries(mapping).map(([role, tool]) => [role, [tool]])) as Candidates;
}
