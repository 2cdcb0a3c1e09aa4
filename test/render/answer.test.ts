import { expect, test } from 'vitest';
import { OrielError } from '../../src/errors.ts';
import { errorAnswer, textAnswer, withNotices } from '../../src/render/answer.ts';
import { wording } from '../../src/render/notices.ts';

test('text and facts', () => {
  expect(textAnswer('hello', { lines: 1 })).toEqual({
    content: [{ type: 'text', text: 'hello' }],
    details: { lines: 1 },
    isError: false,
  });
});

test('a failure has its code, its sentence and, where there is one, the call that works instead', () => {
  expect(
    errorAnswer(new OrielError('NOT_FOUND', 'It does not exist.', { next: '.' }), { source: 'f' }),
  ).toEqual({
    content: [{ type: 'text', text: 'It does not exist.' }],
    details: { source: 'f', error: { code: 'NOT_FOUND', message: 'It does not exist.', next: '.' } },
    isError: true,
  });
  const { details } = errorAnswer(new OrielError('BUSY', 'Later.', { cause: new Error('EMFILE') }));
  expect(details).toEqual({ error: { code: 'BUSY', message: 'Later.' } });
});

test('notices stand on lines of their own below the text, the last one last', () => {
  const notices = [{ kind: 'unterminated' }, { kind: 'said', text: 'more' }] as const;
  const said = '[No newline at end of file]\n[more]';
  expect(withNotices('a\n', notices, wording)).toBe(`a\n${said}`);
  expect(withNotices('a', notices, wording)).toBe(`a\n${said}`);
  expect(withNotices('', notices, wording)).toBe(said);
  expect(withNotices('a', [], wording)).toBe('a');
});
