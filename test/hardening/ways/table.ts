/** Every way in. A further one is one file and one row. */

import { cli } from './cli.ts';
import { library } from './library.ts';
import { mcpHttp } from './mcp-http.ts';
import { mcpStdio } from './mcp-stdio.ts';
import type { Way } from './way.ts';
import { workspaceHttp } from './workspace-http.ts';

export const ways: readonly Way[] = [library, cli, mcpStdio, mcpHttp, workspaceHttp];
