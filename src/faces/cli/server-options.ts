/** Owns the options that all servers share. */

import { resolve } from 'node:path';
import { within } from '../../access/paths.ts';
import type { OfferOptions } from '../offer.ts';
import { workspaceOption, workspacesOf } from './workspaces.ts';
import { type Option, orielOptions, type Parsed } from './options.ts';

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
];

/**
 * Servers have walls: the folders given as operands or by --root, else the working folder. Where the process was
 * started outside of them (by a desktop application, in `/`), the first one is the working folder.
 */
export async function offerOptions({ values, operands }: Parsed): Promise<OfferOptions> {
  // A server is one session: what it keeps goes when it ends.
  const { spills: _, roots: given = [], ...options } = orielOptions(values);
  const roots = [...given, ...operands].map((folder) => resolve(folder));
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
