/** `oriel check`: hostile cases against an MCP server that reads files, and a report as text, JSON or SARIF. */

import { readFile } from 'node:fs/promises';
import { OrielError } from '../../errors.ts';
import { safeJson } from '../../text/json.ts';
import { quote } from '../../text/visible.ts';
import type { Case } from '../check/case.ts';
import { checkProgress } from './check-progress.ts';
import type { Command, Values } from './command.ts';
import { json } from './option-table.ts';
import { sarifLocation } from './sarif-location.ts';

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
      name: 'location',
      type: 'string',
      value: 'FILE',
      help: 'with --sarif: the file of the repository at which findings are shown; the one in COMMAND, or mcp.json',
    },
    {
      name: 'map',
      type: 'string',
      value: 'FILE',
      help: 'which tools read, list and search, where their names do not tell: docs/check.md',
    },
    {
      name: 'case',
      type: 'string',
      multiple: true,
      value: 'ID',
      help: 'try only this case; may be repeated',
    },
    { name: 'keep', type: 'boolean', help: 'leave the files of the last case, and print where they are' },
  ],
  endsOptions: true,
  async run({ values, operands }, { out, err, signal }) {
    refuseMistakes(values, operands);
    const asked = values as Asked;
    const location = sarifLocation(asked.location, operands);
    const [{ audit, NOT_REMOVED }, { cases }, { reportJson, reportText }, { reportSarif }] =
      await Promise.all([
        import('../check/audit.ts'),
        import('../check/cases/case-table.ts'),
        import('../check/check-report.ts'),
        import('../check/sarif-report.ts'),
      ]);
    const chosen = chosenOf(cases, asked.case);
    const mapping = await mappingIn(asked.map);
    const progress = checkProgress(err, chosen.length);
    const found = await audit(operands, chosen, {
      signal,
      mapping,
      progress,
      keep: asked.keep ?? false,
    }).finally(() => progress.clear());
    for (const left of found.notRemoved ?? []) err.write(`oriel: ${NOT_REMOVED}: ${left}\n`);
    if (found.kept !== undefined) err.write(`oriel: The files of the check are kept in ${found.kept}\n`);
    if (asked.sarif) out.write(`${safeJson(reportSarif(found, cases, location))}\n`);
    else out.write(asked.json ? `${safeJson(reportJson(found))}\n` : reportText(found));
    // The server has none of the tools, so nothing was checked.
    if (found.findings.every(({ verdict }) => verdict === 'skipped')) return 2;
    return found.findings.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
  },
};

interface Asked {
  readonly json?: boolean;
  readonly sarif?: boolean;
  readonly location?: string;
  readonly map?: string;
  readonly case?: readonly string[];
  readonly keep?: boolean;
}

function refuseMistakes(values: Values, operands: readonly string[]): void {
  const { json: asJson, sarif, location } = values as Asked;
  if (operands.length === 0) {
    throw new OrielError('BAD_INPUT', 'There is nothing to check. Use oriel check -- COMMAND.');
  }
  if (asJson && sarif) {
    throw new OrielError('BAD_INPUT', 'A report is either JSON or SARIF. Leave out --json, or --sarif.');
  }
  if (location !== undefined && !sarif) {
    throw new OrielError('BAD_INPUT', 'Only SARIF has a location. Add --sarif, or leave out --location.');
  }
}

/** The cases with these ids, in the order of the report; all if none is asked for. */
function chosenOf(cases: readonly Case[], ids: readonly string[] | undefined): readonly Case[] {
  const known = cases.map(({ id }) => id);
  const unknown = ids?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const message = `There is no case ${quote(unknown)}. Use one of ${known.join(', ')}.`;
    throw new OrielError('BAD_INPUT', message);
  }
  return ids ? cases.filter(({ id }) => ids.includes(id)) : cases;
}

async function mappingIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const message = `--map takes a file that can be read, not ${quote(path)}. Use oriel check --help.`;
    throw new OrielError('BAD_INPUT', message, { cause });
  }
}
