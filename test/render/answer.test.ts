import { describe, expect, test } from 'vitest';
import { OrielError } from '../../src/errors.ts';
import { errorAnswer, textAnswer, withCall, withNotices, wording } from '../../src/render/notices.ts';

test('text and facts', () => {
  expect(textAnswer('hello', { lines: 1 })).toEqual({
    content: [{ type: 'text', text: 'hello' }],
    details: { lines: 1 },
    isError: false,
  });
});

test('a failure has code, sentence and the call that works', () => {
  expect(errorAnswer(new OrielError('NOT_FOUND', 'It does not exist.', { next: '.' }))).toEqual({
    content: [{ type: 'text', text: 'It does not exist.' }],
    details: { error: { code: 'NOT_FOUND', message: 'It does not exist.', next: '.' } },
    isError: true,
  });
  const { details } = errorAnswer(new OrielError('BUSY', 'Later.', { cause: new Error('EMFILE') }));
  expect(details).toEqual({ error: { code: 'BUSY', message: 'Later.' } });
});

test('notices stand on own lines below the text, in order', () => {
  const notices = [{ kind: 'unterminated' }, { kind: 'said', text: 'more' }] as const;
  const said = '[No newline at end of file]\n[more]';
  expect(withNotices('a\n', notices, wording)).toBe(`a\n${said}`);
  expect(withNotices('a', notices, wording)).toBe(`a\n${said}`);
  expect(withNotices('', notices, wording)).toBe(said);
  expect(withNotices('a', [], wording)).toBe('a');
});

describe('the call to make instead is in the sentence', () => {
  const said = (message: string, next?: string): unknown => {
    const cause = new Error('ENOENT');
    const error = new OrielError('NOT_FOUND', message, { cause, ...(next !== undefined && { next }) });
    const shown = withCall(error);
    expect([shown.code, shown.next, shown.cause]).toEqual(['NOT_FOUND', next, cause]);
    return shown.message;
  };

  test('below the message, if it names no call itself', () => {
    expect(said('x is gone.', 'src/x.ts')).toBe('x is gone. Use src/x.ts.');
    expect(said('x is gone.', '.')).toBe('x is gone. Use . to list the working directory.');
    expect(said('x is gone. Use src/y.ts.', 'src/x.ts')).toBe('x is gone. Use src/y.ts.');
    expect(said('x is Useful.', 'src/x.ts')).toBe('x is Useful. Use src/x.ts.');
    expect(said('x is gone.', 'a.')).toBe('x is gone. Use a. as it is.');
    expect(said('x is gone.')).toBe('x is gone.');
  });

  test('unless it cannot be written there as it is', () => {
    expect(said('x is gone.', 'a\nb')).toBe('x is gone.');
    expect(said('x is gone.', 'a\x1bb')).toBe('x is gone.');
    const most = 'é'.repeat(400);
    expect(said('x is gone.', most)).toBe(`x is gone. Use ${most}.`);
    expect(said('x is gone.', `${most}a`)).toBe('x is gone.');
  });
});

test('text without facts is no error', () => {
  expect(textAnswer('hello')).toEqual({
    content: [{ type: 'text', text: 'hello' }],
    details: {},
    isError: false,
  });
});
