/** Owns the options that all servers share. */

import type { OfferOptions } from '../offer.ts';
import { workspaceOption, workspacesOf } from './workspaces.ts';
import { type Option, orielOptions, type Values } from './options.ts';

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

/** Servers have walls: the working folder, unless --root says otherwise. */
export async function offerOptions(values: Values): Promise<OfferOptions> {
  // A server is one session: what it keeps goes when it ends.
  const { spills: _, ...options } = orielOptions(values);
  return { ...options, ...(await workspacesOf(values)), allowBash: values['allow-bash'] === true };
}
