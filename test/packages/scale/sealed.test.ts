import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { ValueSeal } from '../../../packages/scale/src/state/shared-state.ts';

const seal = new ValueSeal(Buffer.from('a key of the operator, 32 bytes!'));

test('any encrypted value can be decrypted with the same key', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string(), (bytes, key) => {
      expect(seal.open(key, seal.close(key, bytes))).toEqual(Buffer.from(bytes));
    }),
  );
});

test('a modified, truncated or extended value counts as missing', () => {
  const sealed = seal.close('key', Buffer.from('a page of a file'));
  const bytes = Buffer.from(sealed.slice('oriel-1.'.length), 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] as number) ^ by;
      expect(seal.open('key', `oriel-1.${forged.toString('base64')}`)).toBeUndefined();
      expect(seal.open('key', `oriel-1.${bytes.subarray(0, at).toString('base64')}`)).toBeUndefined();
    }),
  );
  expect(seal.open('key', `oriel-1.${Buffer.concat([bytes, bytes]).toString('base64')}`)).toBeUndefined();
});

test('no other key, secret or version decrypts a value', () => {
  const sealed = seal.close('one', Buffer.from('text'));
  expect(seal.open('two', sealed)).toBeUndefined();
  expect(new ValueSeal(Buffer.from('the key of another operator, 32!')).open('one', sealed)).toBeUndefined();
  expect(seal.open('one', sealed.replace('oriel-1.', 'oriel-2.'))).toBeUndefined();
  expect(seal.open('one', 'garbage')).toBeUndefined();
  expect(seal.open('one', '')).toBeUndefined();
});

test('names and values are unreadable, equal values have different ciphertexts', () => {
  const [one, two] = [seal.close('key', Buffer.from('secret')), seal.close('key', Buffer.from('secret'))];
  expect(one).not.toBe(two);
  expect(Buffer.from(one.slice(8), 'base64').toString('latin1')).not.toContain('secret');
  expect(seal.nameOf('client alice')).toMatch(/^[\w-]{43}$/);
});
