/**
 * Chooses the tools that are checked: each must do its job once on the sandbox. A case that uses a tool for something that it
 * does not do would hold, and mean nothing.
 */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { Broken } from './outcome.ts';
import { type Candidates, type Mapped, type Mapping, type Role, roles } from './roles.ts';
import { type Answer, shows } from './server-answer.ts';
import { PLAIN, PLAIN_TEXT, PLAIN_WORD } from './sandbox.ts';

export interface Chosen {
  readonly roles: Mapping;
  /** Why a role has no tool, although one was found by its name. */
  readonly without: Readonly<Partial<Record<Role, string>>>;
}

/** Calls a tool: `pattern` for a search. Throws `Broken`. */
export type Try = (tool: Mapped, path: string, pattern?: string) => Promise<Answer>;

/**
 * `mapped`: the candidates are named by the user, and one that fails is an error. Otherwise a role for which none works is left
 * out, but for reading: nothing can be checked without. Throws `BAD_INPUT`.
 */
export async function chooseTools(candidates: Candidates, mapped: boolean, call: Try): Promise<Chosen> {
  const chosen: Mapping = {};
  const without: Partial<Record<Role, string>> = {};
  for (const role of roles) {
    let why: string | undefined;
    for (const tool of candidates[role] ?? []) {
      const failure = await failureOf(role, tool, call);
      if (failure === undefined) {
        chosen[role] = tool;
        break;
      }
      why ??= `${quote(tool.tool)} does not ${WHAT[role]}: ${failure}`;
    }
    if (chosen[role] || why === undefined) continue;
    if (mapped || role === 'read') throw useless(why);
    without[role] = why;
  }
  return { roles: chosen, without };
}

const WHAT: Readonly<Record<Role, string>> = {
  read: 'read a small file of the sandbox',
  list: 'list the directory of the sandbox',
  search: 'search the directory of the sandbox',
};

/** What the answer lacks if the tool does something else. */
const LACKS: Readonly<Record<Role, string>> = {
  read: 'its text is not in the answer',
  list: `the answer does not name ${PLAIN}`,
  search: `a word inside ${PLAIN} is not found`,
};

/** Why a tool cannot be checked at all; undefined if it can. Which laws it breaks is left to the cases. */
async function failureOf(role: Role, tool: Mapped, call: Try): Promise<string | undefined> {
  try {
    const answer = await (role === 'read' ? call(tool, PLAIN) : call(tool, '.', PLAIN_WORD));
    if (answer.isError) return quote(answer.text.replace(/\.$/, ''));
    return shows(answer, ...SHOWN[role]) ? undefined : `${LACKS[role]}; ${answered(answer.text.trim())}`;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return role === 'read' ? quote(error.message) : undefined;
  }
}

/** One of them is in the answer of a tool that works. A search may tell the name of the file, or its line. */
const SHOWN: Readonly<Record<Role, readonly string[]>> = {
  read: [PLAIN_TEXT],
  list: [PLAIN],
  search: [PLAIN, PLAIN_TEXT],
};

const answered = (text: string): string =>
  text === '' ? 'the answer is empty' : `it answers "${quote(text)}"`;

function useless(failure: string): OrielError {
  const message = `${failure}. Name the directory with {} in the command, or the tools with --map.`;
  return new OrielError('BAD_INPUT', message);
}
