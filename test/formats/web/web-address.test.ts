/** Addresses of pages, with the selectors after them. */

import { expect, test } from 'vitest';
import { nameOf } from '../../../src/formats/web/page-step.ts';
import { parseWebAddress } from '../../../src/formats/web/select.ts';
import { withoutLag } from '../../support/lag.ts';

test.each([':fresh', ':', ':1', ':1-2', '/a:', '?a=b:', '#:'])(
  'a long address with %j is parsed in linear time',
  async (unit) => {
    for (const length of [8_000, 65_000]) {
      const address = `https://h/${unit.repeat(Math.floor(length / unit.length))}`;
      const outcome = await withoutLag(async () => {
        try {
          return parseWebAddress(address, () => false);
        } catch (error) {
          return error;
        }
      });
      if (length > 8_192) expect(outcome).toMatchObject({ code: 'BAD_PATH' });
    }
  },
);

test.each([
  ['https://h:80', 'https://h:80/', ''],
  ['https://h/:80', 'https://h/', '80'],
  ['https://h:80:90', 'https://h:80/', '90'],
  ['https://h:8080:5-9', 'https://h:8080/', '5-9'],
  ['https://h:5-9', 'https://h/', '5-9'],
  ['https://h:8080/a:raw:5-9', 'https://h:8080/a', 'raw:5-9'],
  ['https://h/a?b=1:5-9', 'https://h/a?b=1', '5-9'],
  ['https://[::1]', 'https://[::1]/', ''],
  ['https://[2001:db8::1]:8080', 'https://[2001:db8::1]:8080/', ''],
  ['https://[2001:db8::1]:8080:5-9', 'https://[2001:db8::1]:8080/', '5-9'],
  ['https://[2001:db8::1]/:5', 'https://[2001:db8::1]/', '5'],
])('%s', (target, url, rest) => {
  expect(parseWebAddress(target, () => false)).toMatchObject({ url, rest });
});

test.each([
  ['https://h/a.zip?dl=1:src/x.ts', 'https://h/a.zip?dl=1', 'src/x.ts'],
  ['https://h/a.zip?dl=1:src/x.ts:5-6', 'https://h/a.zip?dl=1', 'src/x.ts:5-6'],
  ['https://h/a.zip?a=1&dl=1:t?limit=2&offset=4', 'https://h/a.zip?a=1&dl=1', 't?limit=2&offset=4'],
  ['https://h/a.zip#top:x.ts', 'https://h/a.zip', 'x.ts'],
  ['https://h/a.zip:x.ts?y:3', 'https://h/a.zip', 'x.ts?y:3'],
  ['https://h/a.zip?se=2026-01-01T10:20:30Z&sig=a', 'https://h/a.zip?se=2026-01-01T10:20:30Z&sig=a', ''],
  ['https://h/a.zip?sig=a&se=2026-01-01T10:20:30Z', 'https://h/a.zip?sig=a&se=2026-01-01T10:20:30Z', ''],
  ['https://h/a.zip?se=2026-01-01T10:20:30Z:x.ts', 'https://h/a.zip?se=2026-01-01T10:20:30Z', 'x.ts'],
  ['https://h/a.zip?dl=1:5-6', 'https://h/a.zip?dl=1', '5-6'],
  ['https://h/a.zip?sig=ab:cd', 'https://h/a.zip?sig=ab:cd', ''],
  ['https://h/a.zip?id=urn:isbn:x', 'https://h/a.zip?id=urn:isbn:x', ''],
  ['https://h/page?at=a.zip:x.ts', 'https://h/page?at=a.zip:x.ts', ''],
])('%s: members of a file with a query', (target, url, rest) => {
  expect(parseWebAddress(target, (name) => name.endsWith('.zip'))).toMatchObject({ url, rest });
});

test.each(['https://[fe80::1%25lo]/', 'https://[fe80::1%eth0]/:5'])('%s is not an address', (target) => {
  expect(() => parseWebAddress(target, () => false)).toThrow(expect.objectContaining({ code: 'BAD_PATH' }));
});

test.each([
  ['http://h/a/b/c.txt', 'c.txt'],
  ['http://h/a/b%20c.py?q=d/e#f/g', 'b c.py'],
  ['http://h/a%2Fb', 'a_b'],
  ['http://h/a/', ''],
  ['http://h', ''],
])('the file at %s is named %j', (url, name) => {
  expect(nameOf(url)).toBe(name);
});
