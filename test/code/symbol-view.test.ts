/** What is said of a symbol that is not there. */

import { expect, test } from 'vitest';
import type { TextResource } from '../../src/types/call.ts';
import { noSymbol } from '../../src/code/outline-view.ts';
import { workspace } from '../support/workspace.ts';

const resource = (part?: TextResource['part']): TextResource =>
  ({ target: 'a.pdf', kind: 'document', ...(part && { part }) }) as unknown as TextResource;

test('a symbol missing in one part may be in another', () => {
  const asked = (part?: TextResource['part']) => () =>
    noSymbol(resource(part), 'Late', { near: [] }, ':outline');
  expect(asked({ name: 'pages 1-100 of 400', next: 'a.pdf:p101-' })).toThrow(
    /^a\.pdf has no symbol 'Late' in pages 1-100 of 400\. Use a\.pdf:p101-:#Late:outline to look in the next ones\.$/,
  );
  expect(asked()).toThrow(/^a\.pdf has no symbol 'Late'\. Use a\.pdf:outline for all of them\.$/);
});

test('a mistyped selector of code is not taken for a symbol', async () => {
  const { text, write } = workspace();
  write('a.ts', 'export function row() {\n  return 1;\n}\n');
  write('empty.ts', "export * from './a.ts';\n");
  expect(await text('a.ts:row')).toContain('return 1');
  expect(await text('a.ts:outlin')).toMatch(
    /^:outlin is not a selector of a\.ts\..* Did you mean a\.ts:outline\?$/,
  );
  expect(await text('a.ts:rwo')).toMatch(/^a\.ts has no symbol 'rwo'\. Did you mean row \(a\.ts:#row\)\?/);
  expect(await text('empty.ts:abc')).toMatch(/^:abc is not a selector of empty\.ts\. Use empty\.ts alone/);
});
