/**
 * The report of a check as SARIF 2.1.0, with everything that code hosts require. Sources: Static Analysis Results Interchange
 * Format 2.1.0, and "SARIF support for code scanning" of GitHub.
 */

import { version } from '../../access/package-files.ts';
import type { Audit } from './audit.ts';
import type { Finding } from './finding.ts';
import type { Case, Law } from './case.ts';
import { evidenceLines } from './check-report.ts';

/** A server has no line for a finding: all are shown at the first one of a file. */
const FIRST_LINE = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/** `location`: the URI, relative to the repository, of the file at which findings are shown. */
export function reportSarif(
  { roles, findings, left }: Audit,
  cases: readonly Case[],
  location: string,
): object {
  const toolOf = (id: string): string | undefined =>
    roles[cases.find((one) => one.id === id)?.role ?? 'read']?.tool;
  const driver = { name: 'oriel check', semanticVersion: version(), rules: cases.map(ruleOf) };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [{ executionSuccessful: left === 0 }],
        // Code hosts show every result as a problem, also those of kind "pass": what held is in the other reports.
        results: findings
          .filter(({ verdict }) => verdict === 'broken')
          .map((finding) => resultOf(finding, location, toolOf(finding.id))),
      },
    ],
  };
}

const LAWS: Readonly<Record<Law, string>> = {
  bounded: 'An answer has a limited size, however large a file, a line or a directory is.',
  lines: 'Lines are shown whole, and counted right.',
  continuation: 'An answer that is cut names the call that continues it, without a gap or an overlap.',
  walls: 'Nothing outside the directory of the server is read or named.',
  hangs: 'Every call is answered in time, and the server answers the next one.',
  memory: 'A large file does not fill the memory.',
  errors: 'An error is one short line without control characters and stack traces.',
};

function ruleOf({ id, law, title }: Case): object {
  return {
    id,
    name: id,
    shortDescription: { text: `${law}: ${title}` },
    fullDescription: { text: `${LAWS[law]} The case: ${title}.` },
    help: {
      text: `${LAWS[law]} Run oriel check --case ${id} --keep -- COMMAND to repeat it and to look at its files.`,
    },
    defaultConfiguration: { level: 'error' },
    properties: { tags: [law] },
  };
}

function resultOf(
  { id, title, reason = '', evidence = {}, figures }: Finding,
  uri: string,
  tool: string | undefined,
): object {
  return {
    ruleId: id,
    kind: 'fail',
    level: 'error',
    message: { text: [`${title}: ${reason}`, ...evidenceLines(evidence)].join('\n') },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: FIRST_LINE },
        ...(tool !== undefined && { logicalLocations: [{ name: tool, kind: 'function' }] }),
      },
    ],
    // The same finding in the next run, whatever else is changed in the file.
    partialFingerprints: { primaryLocationLineHash: `${id}:1` },
    properties: { ...figures, ...evidence },
  };
}
