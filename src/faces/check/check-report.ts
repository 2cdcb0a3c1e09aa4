/** The report of a check: as text, as JSON with all figures, or as SARIF for tools that show findings. */

import { version } from '../../access/package-files.ts';
import { safeJson } from '../../text/json.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Audit, Finding } from './audit.ts';
import type { Case } from './case.ts';
import type { Evidence } from './outcome.ts';
import { roles } from './roles.ts';

export function reportText({ roles: mapping, findings }: Audit): string {
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
  const end = `${held} held, ${broken} broken, ${skipped} skipped`;
  return [tools.length > 0 ? tools.join('; ') : 'no tool that reads files', '', ...lines, '', end, ''].join(
    '\n',
  );
}

const widest = (words: readonly string[]): number => Math.max(0, ...words.map(({ length }) => length));

/** What shows that a case is broken, one line each. */
function evidenceLines({ call, answer, changes }: Evidence): readonly string[] {
  return [
    ...(call ? [`call: ${quote(call.tool)} ${safeJson(call.arguments)}`] : []),
    ...(answer === undefined ? [] : [`answer: ${answer}`]),
    ...(changes ?? []),
  ];
}

export function reportJson({ roles: mapping, findings }: Audit): object {
  return { roles: mapping, ...counts(findings), cases: findings };
}

/** Source: Static Analysis Results Interchange Format (SARIF) 2.1.0. */
export function reportSarif({ roles: mapping, findings }: Audit, cases: readonly Case[]): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'oriel check',
            semanticVersion: version(),
            rules: cases.map(({ id, law, title }) => ({
              id,
              shortDescription: { text: `${law}: ${title}` },
            })),
          },
        },
        results: findings
          .filter(({ verdict }) => verdict !== 'skipped')
          .map(({ id, title, verdict, reason = 'held', figures }) => ({
            ruleId: id,
            kind: verdict === 'broken' ? 'fail' : 'pass',
            level: verdict === 'broken' ? 'error' : 'none',
            message: { text: `${title}: ${reason}` },
            locations: [
              {
                logicalLocations: [
                  {
                    name: mapping[cases.find((one) => one.id === id)?.role ?? 'read']?.tool,
                    kind: 'function',
                  },
                ],
              },
            ],
            properties: figures,
          })),
      },
    ],
  };
}

function counts(findings: readonly Finding[]): Record<Finding['verdict'], number> {
  const of = (wanted: Finding['verdict']): number =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  return { held: of('held'), broken: of('broken'), skipped: of('skipped') };
}
