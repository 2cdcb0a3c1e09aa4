/** The options that all servers share. */

import { resolve } from 'node:path';
import { within } from '../../access/paths.ts';
import type { OfferOptions } from '../offer.ts';
import { workspaceOption, workspacesOf } from './workspaces.ts';
import { type Option, orielOptions, type Parsed, servingOptions } from './options.ts';

export const serverOptions: readonly Option[] = [
  workspaceOption,
  {
    name: 'allow-bash',
    type: 'boolean',
    help: 'offer the tools that do more than read, above all bash',
  },
  {
    name: 'structured',
    type: 'boolean',
    help: 'over MCP, put text and facts into structuredContent too (hosts then show that instead of the text)',
  },
  ...servingOptions,
];

/**
 * Servers always have roots: the directories given as operands or by --root, else the working directory. Where the
 * process was started outside the roots (by a desktop application, in `/`), the first root is the working directory.
 */
export async function offerOptions({ values, operands }: Parsed): Promise<OfferOptions> {
  // A server is one session: what it keeps is deleted when it ends.
  const { spills: _, roots: given = [], ...options } = orielOptions(values);
  const roots = [...given, ...operands].map((directory) => resolve(directory));
  const [first] = roots;
  const outside = first !== undefined && !roots.some((root) => within(process.cwd(), root));
  return {
    ...(outside && { cwd: first }),
    roots,
    ...options,
    ...(await workspacesOf(values)),
    allowBash: values['allow-bash'] === true,
  };
}
