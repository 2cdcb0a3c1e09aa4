/** Names of what was read: they tell sources apart, and hold no password, key, query or text of a search. */

import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { MAX_PATH_CHARACTERS, sourceName } from '../../src/telemetry/call-facts.ts';

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['node_modules/@types/node/index.d.ts', 'node_modules/@types/node/index.d.ts'],
  ['a.pdf:password=secret:p3', 'a.pdf:password=…:p3'],
  ['a.zip:b.pdf:PASSWORD=secret', 'a.zip:b.pdf:PASSWORD=…'],
  ['https://anna:secret@example.com/x', 'https://…@example.com/x'],
  ['https://anna@example.com/x@2', 'https://…@example.com/x@2'],
  ['https://example.com/x?page=2&access_token=secret&n=1', 'https://example.com/x?page=2&access_token=…&n=1'],
  [
    'https://b.example/k?X-Amz-Credential=secret&X-Amz-Signature=secret',
    'https://b.example/k?X-Amz-Credential=…&X-Amz-Signature=…',
  ],
  ['https://b.example/k?sig=secret#access_token=secret', 'https://b.example/k?sig=…#access_token=…'],
  ['https://example.com/x?monkey=1', 'https://example.com/x?monkey=1'],
])('%s is recorded as %s', (path, name) => {
  expect(sourceName(path)).toBe(name);
});

test('questions to a database become digests, equal for equal ones', () => {
  const one = sourceName("app.db?q=select * from users where mail = 'secret' & 1");
  expect(one).toMatch(/^app\.db\?q=…[a-z0-9]+$/);
  expect(sourceName("app.db?q=select * from users where mail = 'secret' & 1")).toBe(one);
  expect(sourceName('app.db?q=select 2')).not.toBe(one);
  expect(sourceName("b.xlsx:Sales?where=Name='secret'&limit=20&offset=40")).toMatch(
    /^b\.xlsx:Sales\?where=…[a-z0-9]+&limit=20&offset=40$/,
  );
});

test('a secret is not recorded, whatever surrounds it', () => {
  const piece = fc.string({
    maxLength: 30,
    unit: fc.constantFrom('a', '/', '?', '&', '=', ':', '#', '.', '@', 'é'),
  });
  const carriers = [':password=', '?token=', '&api_key=', '?q=', '&where=', '#id_token='];
  fc.assert(
    fc.property(
      piece,
      fc.constantFrom(...carriers),
      fc.constantFrom('', ':p3', '&n=1', ':1..2'),
      (head, carrier, tail) => {
        const name = sourceName(`${head}${carrier}s3cr3t${tail}`);
        expect(name).not.toContain('s3cr3t');
        expect(name.length).toBeLessThanOrEqual(MAX_PATH_CHARACTERS);
      },
    ),
  );
});

test('a secret in an overlong path is not recorded either', () => {
  const name = sourceName(`${'d/'.repeat(150)}${'x'.repeat(60)}.pdf:password=${'s3cr3t'.repeat(200)}`);
  expect(name).not.toContain('s3cr3t');
});
