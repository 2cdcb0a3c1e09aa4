/** What is said about a failed connection, and what may be done. */

import { describe, expect, test } from 'vitest';
import { networkError } from '../../src/network/fetch.ts';
import { OrielError } from '../../src/errors.ts';

const url = new URL('https://user:secret@example.com:8443/path?query');
const { signal } = new AbortController();
const system = (code: string | undefined, message = 'it failed'): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('by the code of the failure', () => {
  const later = 'Use the same call later.';
  const another = 'Use the URL of another host.';

  test.each([
    ['UND_ERR_HEADERS_TIMEOUT', 'TIMEOUT', `did not answer in time. ${later}`],
    ['ETIMEDOUT', 'NETWORK', `could not be read: it failed. ${later}`],
    ['ENOTFOUND', 'NETWORK', 'has no address. Use the URL of another host, or the same call later.'],
    ['EAI_AGAIN', 'NETWORK', 'has no address. Use the URL of another host, or the same call later.'],
    ['CERT_HAS_EXPIRED', 'TLS', `has no valid certificate: it failed. ${another}`],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS', `has no valid certificate: it failed. ${another}`],
    ['ERR_SSL_WRONG_VERSION', 'TLS', `has no valid certificate: it failed. ${another}`],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS', `has no valid certificate: it failed. ${another}`],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS', `has no valid certificate: it failed. ${another}`],
    ['UND_ERR_HEADERS_OVERFLOW', 'LIMIT', 'sends too many headers. Use another URL.'],
    ['ERR_ASSERTION', 'NETWORK', `could not be read: its reply is not HTTP. ${later}`],
    ['ECONNRESET', 'NETWORK', `could not be read: it failed. ${later}`],
    [undefined, 'NETWORK', `could not be read: it failed. ${later}`],
  ])('%s: %s', (code, expected, sentence) => {
    const cause = system(code);
    const at = (from: URL | undefined): unknown => {
      const error = networkError(cause, from, signal) as OrielError;
      expect(error).toBeInstanceOf(OrielError);
      return [error.code, error.message, error.cause];
    };
    expect(at(url)).toEqual([expected, `example.com:8443 ${sentence}`, cause]);
    expect(at(undefined)).toEqual([expected, `The server ${sentence}`, cause]);
  });
});

test('a system message is cut to one line, 200 characters', () => {
  const said = (message: string): string => networkError(system('EX', message), undefined, signal).message;
  expect(said('a\nb.')).toBe('The server could not be read: a\\nb. Use the same call later.');
  expect(said('x'.repeat(300))).toBe(
    `The server could not be read: ${'x'.repeat(200)}. Use the same call later.`,
  );
});

test('an abort is its reason', () => {
  const reason = new Error('cancelled');
  expect(networkError(system('ENOTFOUND'), url, AbortSignal.abort(reason))).toBe(reason);
});

test('an already explained error stays, wherever in the chain', () => {
  const known = new OrielError('BLOCKED_PORT', 'Port 22 is not one of a web server.');
  const errors = [
    known,
    new Error('fetch failed', { cause: known }),
    new AggregateError([new Error('one'), known], 'all failed'),
  ];
  expect(errors.map((error) => networkError(error, url, signal))).toEqual([known, known, known]);
});
