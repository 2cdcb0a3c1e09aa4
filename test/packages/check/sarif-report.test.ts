/** SARIF as code hosts take it: each result is a problem, at a file of the repository. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type AuditResult, reportSarif } from '../../../packages/check/src/audit.ts';
import { cases } from '../../../packages/check/src/cases.ts';
import { sarifLocation } from '../../../packages/check/src/index.ts';
import { temporaryFolder } from '../../support/commands.ts';
import '../../support/check.ts';

const figures = { ms: 1, bytes: 2, memoryMb: 3 };
const evidence = {
  call: { tool: 'read_file', arguments: { path: 'link' } },
  answer: 'of-1.txt is outside',
};
const found: AuditResult = {
  roles: { read: { tool: 'read_file', path: 'path' } },
  left: 0,
  findings: [
    { id: 'nul', law: 'errors', title: 'a path with a NUL byte', verdict: 'held', figures },
    { id: 'fifo', law: 'hangs', title: 'a FIFO', verdict: 'skipped', reason: 'no FIFO', figures },
    {
      id: 'wall-link',
      law: 'walls',
      title: 'a link to a file outside',
      verdict: 'broken',
      reason: 'it was refused',
      evidence,
      figures,
    },
  ],
};

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly object[] } };
    readonly invocations: unknown;
    readonly results: unknown;
  }[];
}

test('only broken cases are results, at the first line', () => {
  const { runs } = reportSarif(found, cases, 'src/server.js') as Sarif;
  expect(runs[0]?.results).toEqual([
    {
      ruleId: 'wall-link',
      kind: 'fail',
      level: 'error',
      message: {
        text: 'a link to a file outside: it was refused\ncall: read_file {"path":"link"}\nanswer: of-1.txt is outside',
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/server.js' },
            region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
          },
          logicalLocations: [{ name: 'read_file', kind: 'function' }],
        },
      ],
      partialFingerprints: { primaryLocationLineHash: 'wall-link:1' },
      properties: { ...figures, ...evidence },
    },
  ]);
  expect(runs[0]?.invocations).toEqual([{ executionSuccessful: true }]);
});

test('each case is a rule with all required texts', () => {
  const { runs } = reportSarif({ ...found, left: 3 }, cases, 'a') as Sarif;
  const text = { text: expect.stringMatching(/^\S.{0,1022}$/) as string };
  expect(runs[0]?.tool.driver.rules).toEqual(
    cases.map(({ id, law }) => ({
      id,
      name: id,
      shortDescription: text,
      fullDescription: text,
      help: text,
      defaultConfiguration: { level: 'error' },
      properties: { tags: [law] },
    })),
  );
  expect(runs[0]?.invocations).toEqual([{ executionSuccessful: false }]);
});

test('findings point to the named file, started file or mcp.json', () => {
  const here = temporaryFolder();
  mkdirSync(join(here, 'a b'));
  writeFileSync(join(here, 'a b/server#1.js'), '');
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(here);
  try {
    const command = ['/usr/bin/env', 'node', join(here, 'a b/server#1.js'), '{}'];
    expect(sarifLocation(undefined, command)).toBe('a%20b/server%231.js');
    expect(sarifLocation(undefined, ['npx', '-y', '@scope/server', '{}'])).toBe('mcp.json');
    expect(sarifLocation('./conf/mcp.json', command)).toBe('conf/mcp.json');
    expect(sarifLocation(join(here, 'x.json'), command)).toBe('x.json');
    for (const outside of ['.', '..', '../x.json', '/etc/x.json'])
      expect(() => sarifLocation(outside, command)).toThrow(
        `--location takes a file below this directory, not ${outside}. Use a relative path, as it is in the repository.`,
      );
  } finally {
    cwd.mockRestore();
  }
});
