import { expect, test } from 'vitest';
import type { AnswerDetails } from '../../../src/types/answer.ts';
import { pasteable } from '../../../src/faces/cli/quote-calls.ts';

test.each<[sentence: string, details: AnswerDetails, printed: string]>([
  [
    'Use my file.txt:3.. to continue',
    { source: 'my file.txt', truncation: { next: 'my file.txt:3..' } },
    "Use 'my file.txt:3..' to continue",
  ],
  [
    'Use my file.txt:5000 for the end or my file.txt:1 for the start',
    { source: 'my file.txt' },
    "Use 'my file.txt:5000' for the end or 'my file.txt:1' for the start",
  ],
  [
    'folded: e.g. my code.ts:2..8, or all of it: my code.ts:1..',
    { source: 'my code.ts' },
    "folded: e.g. 'my code.ts:2..8', or all of it: 'my code.ts:1..'",
  ],
  [
    'Use big.xlsx:Big?limit=50&offset=19 for rows',
    { source: 'big.xlsx' },
    "Use 'big.xlsx:Big?limit=50&offset=19' for rows",
  ],
  [
    'Use my a.zip to list it.',
    { source: 'my a.zip', error: { code: 'NOT_FOUND', message: '', next: 'my a.zip' } },
    "Use 'my a.zip' to list it.",
  ],
  ['Use app.log:7.. to continue', { source: 'app.log', next: 'app.log:7..' }, 'Use app.log:7.. to continue'],
  [
    'Use read my long.txt:1..1 to see it',
    { matches: 1, next: 'my long.txt:1..1' },
    "Use oriel read 'my long.txt:1..1' to see it",
  ],
  [
    'skill://d/x does not exist. Did you mean skill://d? Use skill:// for the list.',
    { source: 'skill', error: { code: 'NOT_FOUND', message: '', next: 'skill://d' } },
    'skill://d/x does not exist. Did you mean skill://d? Use skill:// for the list.',
  ],
  [
    'Did you mean my a.db:users? Use my a.db for the tables.',
    { source: 'my a.db', error: { code: 'NOT_FOUND', message: '', next: 'my a.db:users' } },
    "Did you mean 'my a.db:users'? Use 'my a.db' for the tables.",
  ],
  [
    'Did you mean a.db:users or my a.db:orders?',
    { source: 'my a.db' },
    "Did you mean a.db:users or 'my a.db:orders'?",
  ],
  ["it's (a.b) here", { source: 'a.b' }, "it's (a.b) here"],
])('%s', (sentence, details, printed) => {
  expect(pasteable(sentence, details)).toBe(printed);
});

test('what was typed to be read is quoted as a whole, brackets included', () => {
  const sentence = 'memory://:[5-2] does not exist. memory:// is empty. Use memory://.';
  const details = { error: { code: 'NOT_FOUND', message: sentence, next: 'memory://' } } as const;
  expect(pasteable(sentence, details, { name: 'read', operands: ['memory://:[5-2]'], values: {} })).toBe(
    "'memory://:[5-2]' does not exist. memory:// is empty. Use memory://.",
  );
});
