/**
 * What the child takes that converts a bomb: a case has the bound of its row, and the child is one for all.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import { convertersOf } from '../support/children.ts';
import { docx, paragraph } from '../support/documents.ts';
import { peakMb } from '../support/process-under-test.ts';
import { codeOf, unhurried, workspace } from '../support/workspace.ts';

const ENTITIES = Array.from(
  { length: 10 },
  (_, i) => `<!ENTITY a${i} "${i ? `&a${i - 1};`.repeat(10) : 'lol'}">`,
);

/** The smallest bound first: what a process has taken at most only grows. */
test.runIf(process.platform === 'linux').each([
  ['D03', 150, () => docx(paragraph('a &a9; b'), `<!DOCTYPE d [${ENTITIES.join('')}]>`), 'OK'],
  ['D04', 200, () => docx(`${'<w:sdt>'.repeat(200_000)}${'</w:sdt>'.repeat(200_000)}`), 'LIMIT'],
  ['D01', 300, () => docx('<w:p><w:r><w:t>lorem ipsum dolor</w:t></w:r></w:p>'.repeat(5_000_000)), 'LIMIT'],
] as const)('%s takes at most %d MB of memory', async (_, most, make, code) => {
  const { write, read } = workspace(unhurried);
  write('small.docx', docx(paragraph('hello')));
  write('bomb.docx', make());
  expect(codeOf(await read('small.docx'))).toBe('OK');
  const [child, ...others] = convertersOf(process.pid);
  expect(others).toEqual([]);
  expect(codeOf(await read('bomb.docx'))).toBe(code);
  // It was not killed for its memory either.
  expect(convertersOf(process.pid)).toEqual([child]);
  expect(peakMb(child as number)).toBeLessThan(most);
});
