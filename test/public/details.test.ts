/** The types of `details`, as a program uses them. `npm run types` compiles them; the values are those of real answers. */

import { expect, expectTypeOf, test } from 'vitest';
import type {
  Answer,
  AnswerDetails,
  ErrorCode,
  ErrorDetails,
  NoticeDetails,
  Truncation,
} from '../../src/index.ts';
import { numbered, place } from '../support/dialect.ts';

test('the fields have types, and other facts are unknown', () => {
  expectTypeOf<Answer['details']>().toEqualTypeOf<AnswerDetails>();
  expectTypeOf<AnswerDetails['truncation']>().toEqualTypeOf<Truncation | undefined>();
  expectTypeOf<NonNullable<AnswerDetails['error']>['code']>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<AnswerDetails['parts']>().toEqualTypeOf<readonly AnswerDetails[] | undefined>();
  expectTypeOf<AnswerDetails['exitCode']>().toEqualTypeOf<unknown>();
});

test('a page, its notice and the next call', async () => {
  const { oriel, write } = place('oriel', { limits: { lines: 10 } });
  write('f', numbered(1, 30));
  const { details } = await oriel.tool('read').run({ path: 'f' });
  const truncation: Truncation | undefined = details.truncation;
  const notices: readonly NoticeDetails[] | undefined = details.notices;
  expect(truncation).toEqual({ by: 'lines', next: 'f:11..', shown: { lines: [[1, 10]], bytes: [0, 21] } });
  expect(details.totals).toEqual({ bytes: 81, lines: 30 });
  expect(notices).toEqual([{ kind: 'cut', text: 'Showing lines 1-10 of 30. Use f:11.. to continue' }]);
});

test('a list, several paths, a failure and a failed command', async () => {
  const { oriel, write } = place('oriel');
  write('f', numbered(1, 30));
  const list = await oriel.tool('grep').run({ pattern: '1', limit: 2 });
  expect(list.details.truncation).toEqual({ by: 'limit', next: { offset: 2 } });
  const several = await oriel.tool('read').run({ path: 'f:1..1,f:2..2' });
  expect(several.details.parts?.map((part) => part.totals?.lines)).toEqual([30, 30]);
  const failed: ErrorDetails | undefined = (await oriel.tool('read').run({ path: 'f:0' })).details.error;
  expect([failed?.code, failed?.next]).toEqual(['BAD_SELECTOR', 'f:1']);
  const command = await oriel.tool('bash').run({ command: 'exit 3' });
  expect(command.details.error).toEqual({ code: 'EXIT', message: 'Command exited with code 3' });
});

test('the facts of another dialect are its own', async () => {
  const { oriel, write } = place('pi');
  write('f', numbered(1, 3_000));
  const { details } = await oriel.tool('read').run({ path: 'f' });
  expect(details.truncation?.['truncatedBy']).toBe('lines');
  expect(details.truncation?.by).toBeUndefined();
});
