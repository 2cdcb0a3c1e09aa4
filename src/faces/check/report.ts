/** The report of a check: as text, as JSON with all figures, or as SARIF. */

import { version } from '../../files/package-files.ts';
import { oneLine, quote, safeJson } from '../../text/visible.ts';
import type { AuditResult, CaseFinding } from './audit.ts';
import type { CheckLaw, HostileCase } from './case.ts';
import type { CaseEvidence } from './outcome.ts';
import { roles } from './roles.ts';

export function formatAudit({ roles: mapping, findings, left }: AuditResult): string {
  const tools = roles.flatMap((role) => {
    const mapped = mapping[role];
    if (!mapped) return [];
    const names = [mapped.pattern ?? [], mapped.path].flat().map(quote);
    return [`${role}: ${quote(mapped.tool)}(${names.join(', ')})`];
  });
  const width = widest(findings.map(({ law }) => law));
  const idWidth = widest(findings.map(({ id }) => id));
  const lines = findings.flatMap(({ id, verdict, law, title, reason, evidence = {} }) => {
    const word = verdict === 'broken' ? 'BROKEN' : verdict;
    const line = `${word.padEnd(8)} ${law.padEnd(width)}  ${id.padEnd(idWidth)}  ${title}`;
    return [
      reason === undefined ? line : `${line}: ${oneLine(reason)}`,
      ...evidenceLines(evidence).map((detail) => `${' '.repeat(9)}${detail}`),
    ];
  });
  const { held, broken, skipped } = counts(findings);
  const stopped = left > 0 ? `; stopped before ${left} more` : '';
  const end = `${held} held, ${broken} broken, ${skipped} skipped${stopped}`;
  const none = findings.length === 0 ? 'stopped before a tool was called' : 'no tool that reads files';
  return [tools.length > 0 ? tools.join('; ') : none, '', ...lines, '', end, ''].join('\n');
}

const widest = (words: readonly string[]): number => Math.max(0, ...words.map(({ length }) => length));

/** What shows that a case is broken, one line each. */
export function evidenceLines({ call, answer, changes }: CaseEvidence): readonly string[] {
  return [
    ...(call ? [`call: ${quote(call.tool)} ${safeJson(call.arguments)}`] : []),
    ...(answer === undefined ? [] : [`answer: ${answer}`]),
    ...(changes ?? []),
  ];
}

export function reportJson({ roles: mapping, findings, left }: AuditResult): object {
  return { roles: mapping, ...counts(findings), left, cases: findings };
}

function counts(findings: readonly CaseFinding[]): Record<CaseFinding['verdict'], number> {
  const of = (wanted: CaseFinding['verdict']): number =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return { held: of('held'), broken: of('broken'), skipped: of('skipped') };
}

// As SARIF 2.1.0, with everything that code hosts require. Sources: Static Analysis Results Interchange
// Format 2.1.0, and "SARIF support for code scanning" of GitHub.

/** A server has no line for a finding: all are shown at the first one of a file. */
const START_REGION = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/** `location`: the URI, relative to the repository, of the file at which findings are shown. */
export function reportSarif(
  { roles, findings, left }: AuditResult,
  cases: readonly HostileCase[],
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

const LAWS: Readonly<Record<CheckLaw, string>> = {
  bounded: 'An answer has a limited size, however large a file, a line or a directory is.',
  lines: 'Lines are shown whole, and counted right.',
  continuation: 'An answer that is cut names the call that continues it, without a gap or an overlap.',
  walls: 'Nothing outside the directory of the server is read or named.',
  hangs: 'Every call is answered in time, and the server answers the next one.',
  memory: 'A large file does not fill the memory.',
  errors: 'An error is one short line without control characters and stack traces.',
};

function ruleOf({ id, law, title }: HostileCase): object {
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
  { id, title, reason = '', evidence = {}, figures }: CaseFinding,
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
        physicalLocation: { artifactLocation: { uri }, region: START_REGION },
        logicalLocations: tool === undefined ? undefined : [{ name: tool, kind: 'function' }],
      },
    ],
    // The same finding in the next run, whatever else is changed in the file.
    partialFingerprints: { primaryLocationLineHash: `${id}:1` },
    properties: { ...figures, ...evidence },
  };
}
