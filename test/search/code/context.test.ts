import { expect, test } from 'vitest';
import type { CodeBelow } from '../../../src/search/code/code-below.ts';
import { type CodeContext, continued, gapTexts } from '../../../src/search/code/context.ts';

const codeWith = (missing: number): CodeBelow =>
  ({ gaps: {}, files: 40, unknown: { missing, slow: 0, whole: 0, parts: 0 } }) as unknown as CodeBelow;

test('with unparsed files, one call parses and another goes on', () => {
  const saidWith = (missing: number): string[] => {
    const code = codeWith(missing);
    const page = continued('src:outline?from=121', { code } as CodeContext);
    return [...gapTexts(code, 'src'), page.kind === 'said' ? page.text : ''];
  };
  expect(saidWith(12)).toEqual([
    '12 of 40 code files were not parsed before the time limit, or changed meanwhile. Make the same call again to parse them: the answer and its order may change',
    'Use src:outline?from=121 for the next page',
  ]);
  expect(saidWith(0)).toEqual(['Use src:outline?from=121 to continue']);
});
