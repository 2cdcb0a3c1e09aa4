/** `oriel check`: hostile cases against an MCP server that reads files, and a report as text, JSON or SARIF. */

import { readFile } from 'node:fs/promises';
import { OrielError } from '../../errors.ts';
import { safeJson } from '../../text/json.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { json } from './option-table.ts';

export const checkCommand: Command = {
  name: 'check',
  operands: 'COMMAND…',
  help:
    'start an MCP server that reads files, {} in COMMAND being its directory, and try hostile cases on it. Ends with 0 when ' +
    'all that could be tried held, 1 when something did not, 2 when it could not be checked',
  options: [
    json,
    { name: 'sarif', type: 'boolean', help: 'print the report as SARIF 2.1.0, for tools that show findings' },
    {
      name: 'map',
      type: 'string',
      value: 'FILE',
      help: 'which tools read, list and search, where their names do not tell: docs/check.md',
    },
  ],
  endsOptions: true,
  async run({ values, operands }, { out, signal }) {
    if (operands.length === 0) {
      throw new OrielError('BAD_INPUT', 'There is nothing to check. Use oriel check -- COMMAND.');
    }
    if (values['json'] === true && values['sarif'] === true) {
      throw new OrielError('BAD_INPUT', 'A report is either JSON or SARIF. Leave out --json, or --sarif.');
    }
    const [{ audit }, { cases }, { reportJson, reportSarif, reportText }] = await Promise.all([
      import('../check/audit.ts'),
      import('../check/cases/case-table.ts'),
      import('../check/check-report.ts'),
    ]);
    const mapping = await mappingIn(values['map'] as string | undefined);
    const found = await audit(operands, cases, { signal, mapping });
    if (values['sarif'] === true) out.write(`${safeJson(reportSarif(found, cases))}\n`);
    else out.write(values['json'] === true ? `${safeJson(reportJson(found))}\n` : reportText(found));
    // The server has none of the tools, so nothing was checked.
    if (found.findings.every(({ verdict }) => verdict === 'skipped')) return 2;
    return found.findings.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
  },
};

async function mappingIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const message = `--map takes a file that can be read, not ${quote(path)}. Use oriel check --help.`;
    throw new OrielError('BAD_INPUT', message, { cause });
  }
}
