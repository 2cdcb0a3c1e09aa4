/** What is said of a symbol that is not there. */

import { expect, test } from 'vitest';
import type { TextResource } from '../../src/types/resource.ts';
import { noSymbol } from '../../src/views/symbol-view.ts';

const resource = (use?: string): TextResource =>
  ({
    target: 'a.pdf',
    kind: 'document',
    ...(use !== undefined && { more: { kind: 'said', text: 'The pages before 101 of 400 were shown', use } }),
  }) as unknown as TextResource;

test('of a document that is read in parts, the pages behind the part may have it', () => {
  const asked = (use?: string) => () => noSymbol(resource(use), 'Late', { near: [] }, ':outline');
  expect(asked('a.pdf:p101-')).toThrow(/were not looked at\. Use a\.pdf:p101-:#Late:outline\.$/);
  expect(asked('a.pdf?offset=100')).toThrow(/Use a\.pdf:outline for all of them\.$/);
  expect(asked()).toThrow(/Use a\.pdf:outline for all of them\.$/);
});
