/** `oriel check`: hostile cases against an MCP server that reads files, by the package @oriel/check. */

import { isOrielError, OrielError } from '../../errors.ts';
import { siblingPackage, version } from '../../files/package-files.ts';
import { oneLine, quote, safeJson } from '../../text/visible.ts';
import {
  type CliCommand,
  type CliStreams,
  type ExitCode,
  jsonOption,
  type ParsedArguments,
} from './options.ts';

export const checkCommand: CliCommand = {
  name: 'check',
  operands: 'COMMAND…',
  help:
    'try hostile cases on an MCP server that reads files; COMMAND starts it, {} being its directory. Ends with 0 when all ' +
    'that could be tried held, 1 when something did not, 2 when it could not be checked',
  options: [
    jsonOption,
    { name: 'sarif', help: 'print the report as SARIF 2.1.0, for tools that show findings' },
    {
      name: 'location',
      value: 'FILE',
      help: 'with --sarif: the file of the repository at which findings are shown; the one in COMMAND, or mcp.json',
    },
    {
      name: 'map',
      value: 'FILE',
      help: 'which tools read, list and search, where their names do not tell: docs/check.md',
    },
    {
      name: 'case',
      multiple: true,
      value: 'ID',
      help: 'try only this case; may be repeated',
    },
    { name: 'keep', help: 'leave the files of the last case, and print where they are' },
  ],
  endsOptions: true,
  async run(parsed, streams) {
    const { runCheck } = (await import(siblingPackage('check').href)) as CheckPackage;
    return runCheck(await checkHost(), parsed, streams);
  },
};

/** What the package @oriel/check does. */
export interface CheckPackage {
  runCheck(host: CheckHost, parsed: ParsedArguments, streams: CliStreams): Promise<ExitCode>;
}

export type CheckHost = Awaited<ReturnType<typeof checkHost>>;

/** All that the package @oriel/check uses of this one. */
// oxlint-disable-next-line typescript/explicit-function-return-type
export async function checkHost() {
  const { Client, ProtocolError } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('../../network/mcp-stdio.ts');
  const { basicEnvironment } = await import('../../network/transport.ts');
  const { runningProcessIds } = await import('../../process/process-tree.ts');
  return {
    basicEnvironment,
    Client,
    isOrielError,
    oneLine,
    OrielError,
    ProtocolError,
    quote,
    runningProcessIds,
    safeJson,
    StdioClientTransport,
    version,
  };
}
