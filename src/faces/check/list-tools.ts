/** Lists the tools of a server, all pages of them. */

import type { Client } from '@modelcontextprotocol/client';
import type { Tool } from './roles.ts';

/** Most tools, and most pages of their list, that are looked at. */
const MOST_TOOLS = 1_000;
const MOST_PAGES = 100;

/** For each page; the signal also ends the whole list. */
export interface ListOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

export async function toolsOf(client: Client, options: ListOptions): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, options);
    tools.push(...listed.tools.slice(0, MOST_TOOLS - tools.length));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
