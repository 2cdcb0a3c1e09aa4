/** The report of a check: as text, or as JSON with all figures. SARIF is in `sarif-report.ts`. */

import { safeJson } from '../../text/json.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Audit } from './audit.ts';
import type { Finding } from './finding.ts';
import type { Evidence } from './outcome.ts';
import { roles } from './roles.ts';

export function reportText({ roles: mapping, findings, left }: Audit): string {
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
export function evidenceLines({ call, answer, changes }: Evidence): readonly string[] {
  return [
    ...(call ? [`call: ${quote(call.tool)} ${safeJson(call.arguments)}`] : []),
    ...(answer === undefined ? [] : [`answer: ${answer}`]),
    ...(changes ?? []),
  ];
}

export function reportJson({ roles: mapping, findings, left }: Audit): object {
  return { roles: mapping, ...counts(findings), left, cases: findings };
}

function counts(findings: readonly Finding[]): Record<Finding['verdict'], number> {
  const of = (wanted: Finding['verdict']): number =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return { held: of('held'), broken: of('broken'), skipped: of('skipped') };
}
