/** Lists the tools of a server, all pages of them. */

import type { Client } from '@modelcontextprotocol/client';
import type { Tool } from './roles.ts';

/** Most tools, and most pages of their list, that are looked at. */
const MOST_TOOLS = 1_000;
const MOST_PAGES = 100;

/** `timeout`: milliseconds for each page. */
export async function toolsOf(client: Client, timeout: number): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, { timeout });
    tools.push(...listed.tools.slice(0, MOST_TOOLS - tools.length));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
