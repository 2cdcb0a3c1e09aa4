/** What `oriel check` does: it tries the chosen cases, and prints a report as text, JSON or SARIF. */

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckHost, CheckPackage } from '../../../src/faces/cli/check-command.ts';
import type { CliStreams, ExitCode, OptionValues, ParsedArguments } from '../../../src/faces/cli/options.ts';
import { audit, type AuditProgress, formatAudit, NOT_REMOVED, reportJson, reportSarif } from './audit.ts';
import type { HostileCase } from './case.ts';
import { cases } from './cases.ts';
import { oriel, useOriel } from './oriel.ts';

/** What oriel calls. */
export const runCheck: CheckPackage['runCheck'] = (host: CheckHost, parsed, streams) => {
  useOriel(host);
  return check(parsed, streams);
};

async function check(
  { values, operands }: ParsedArguments,
  { out, err, signal }: CliStreams,
): Promise<ExitCode> {
  refuseMistakes(values, operands);
  const asked = values as CheckOptionValues;
  const location = sarifLocation(asked.location, operands);
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
  if (asked.sarif) out.write(`${oriel.safeJson(reportSarif(found, cases, location))}\n`);
  else out.write(asked.json ? `${oriel.safeJson(reportJson(found))}\n` : formatAudit(found));
  // The server has none of the tools, so nothing was checked.
  if (found.findings.every(({ verdict }) => verdict === 'skipped')) return 2;
  return found.findings.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
}

interface CheckOptionValues {
  readonly json?: boolean | undefined;
  readonly sarif?: boolean | undefined;
  readonly location?: string | undefined;
  readonly map?: string | undefined;
  readonly case?: readonly string[] | undefined;
  readonly keep?: boolean | undefined;
}

function refuseMistakes(values: OptionValues, operands: readonly string[]): void {
  const { json: asJson, sarif, location } = values as CheckOptionValues;
  if (operands.length === 0) {
    throw new oriel.OrielError('BAD_INPUT', 'There is nothing to check. Use oriel check -- COMMAND.');
  }
  if (asJson && sarif) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      'A report is either JSON or SARIF. Leave out --json, or --sarif.',
    );
  }
  if (location !== undefined && !sarif) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      'Only SARIF has a location. Add --sarif, or leave out --location.',
    );
  }
}

/** The cases with these ids, in the order of the report; all if none is asked for. */
function chosenOf(cases: readonly HostileCase[], ids: readonly string[] | undefined): readonly HostileCase[] {
  const known = cases.map(({ id }) => id);
  const unknown = ids?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const message = `There is no case ${oriel.quote(unknown)}. Use one of ${known.join(', ')}.`;
    throw new oriel.OrielError('BAD_INPUT', message);
  }
  return ids ? cases.filter(({ id }) => ids.includes(id)) : cases;
}

async function mappingIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const message = `--map takes a file that can be read, not ${oriel.quote(path)}. Use oriel check --help.`;
    throw new oriel.OrielError('BAD_INPUT', message, { cause });
  }
}

// The progress of a check on a terminal: the case that runs, and a line for each that has ended.

/** Nothing is written if stderr is not a terminal. `total`: the number of cases. */
export function checkProgress(
  err: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  total: number,
): AuditProgress & { clear(): void } {
  const write = (text: string): void => void (err.isTTY && err.write(`\r\x1b[K${text}`));
  let count = 0;
  write('starting the server…');
  return {
    begins(id) {
      count += 1;
      write(`${count}/${total} ${id}…`);
    },
    ended({ id, verdict }) {
      write(`${count}/${total} ${id}: ${verdict === 'broken' ? 'BROKEN' : verdict}\n`);
    },
    /** Removes the line of the case that runs. */
    clear() {
      write('');
    },
  };
}

// The file at which a SARIF report shows its findings: code hosts reject a result without one.

/** Where servers are configured, if the command names no file. */
const DEFAULT = 'mcp.json';

/** The URI of `--location`, or of the first file below this directory in the command. Throws `BAD_INPUT`. */
export function sarifLocation(given: string | undefined, command: readonly string[]): string {
  if (given === undefined) {
    const file = command.find((word) => word.includes('/') && isFile(word) && below(word) !== undefined);
    return uriOf(below(file ?? DEFAULT) ?? DEFAULT);
  }
  const path = below(given);
  if (path !== undefined) return uriOf(path);
  const message = `--location takes a file below this directory, not ${oriel.quote(given)}. Use a relative path, as it is in the repository.`;
  throw new oriel.OrielError('BAD_INPUT', message);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The path relative to this directory; undefined if it is outside. */
function below(path: string): string | undefined {
  const inside = relative('.', resolve(path));
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? undefined : inside;
}

const uriOf = (path: string): string => path.split(sep).map(encodeURIComponent).join('/');
