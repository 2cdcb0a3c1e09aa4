/** What is said of a symbol that is not there. */

import { expect, test } from 'vitest';
import type { TextResource } from '../../src/types/call.ts';
import { noSymbol } from '../../src/code/outline-view.ts';

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
