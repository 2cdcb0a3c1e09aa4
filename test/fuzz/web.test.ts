/**
 * Addresses of the web as they are typed.
 *
 * @module-tag slow
 */

import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { allowsAddress, isLocalName } from '../../src/network/addresses.ts';
import { parseWebAddress } from '../../src/formats/web/select.ts';
import { fc } from '../support/properties.ts';
import { fuzz, fuzzTimeout as timeout } from './fuzz.ts';

const holdsNothing = (): boolean => false;

/** What a URL leads to, without brackets; undefined for one that is refused with a reason. */
function hostOf(target: string): string | undefined {
  const address = addressOrRefusal(target);
  if (address === undefined) return undefined;
  const { protocol, username, password, hash, hostname, href } = new URL(address);
  expect(['http:', 'https:']).toContain(protocol);
  expect(username + password + hash).toBe('');
  expect(href).toBe(address);
  expect(href).not.toMatch(/[\0-\x20]/);
  return hostname.replace(/^\[|\]$/g, '');
}

function addressOrRefusal(target: string): string | undefined {
  try {
    return parseWebAddress(target, holdsNothing).url;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    expect(code, target).toMatch(/^(BAD_|UNSUPPORTED|BLOCKED)/);
    expect(message).not.toMatch(/[\0-\x1f]/);
    return undefined;
  }
}

/** First address and length of a range that is not public, in parts of eight bits. */
const PRIVATE = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

const number = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const dotted = (value: number): string => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.');

const wide = (text: string): string =>
  text.replace(/[0-9a-z.]/g, (one) =>
    one === '.' ? '\u3002' : String.fromCharCode(one.charCodeAt(0) + 0xfee0),
  );

const hex = (value: number): string => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

/** Ways in which an address of IPv4 may be spelled. */
const SPELLINGS: readonly ((value: number) => string)[] = [
  dotted,
  String,
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
  (value) => `${dotted(value)}.`,
  (value) => wide(dotted(value)),
  (value) =>
    dotted(value)
      .split('.')
      .map((part) => `0${Number(part).toString(8)}`)
      .join('.'),
  (value) =>
    dotted(value)
      .split('.')
      .map((part) => `0x${Number(part).toString(16)}`)
      .join('.'),
  (value) => `${value >>> 24}.${value & 0xffffff}`,
  (value) => dotted(value).replace(/\./g, '%2e'),
  (value) => `[::ffff:${dotted(value)}]`,
  (value) => `[::ffff:${hex(value)}]`,
  (value) => `[::${dotted(value)}]`,
  (value) => `[::ffff:0:${dotted(value)}]`,
  (value) => `[64:ff9b::${hex(value)}]`,
  (value) => `[64:ff9b:1::${hex(value)}]`,
  (value) => `[2002:${hex(value)}::]`,
  (value) => `[fe80::${hex(value)}]`,
  (value) => `[fc00::${hex(value)}]`,
];

test('no spelling of a private address leads there', { timeout }, async () => {
  const asked = fc.record({
    range: fc.constantFrom(...PRIVATE),
    inside: fc.nat(0xffff_ffff),
    spell: fc.constantFrom(...SPELLINGS),
    port: fc.constantFrom('', ':80', ':8080'),
  });
  await fuzz('private addresses', 3_000, asked, ({ range: [first, length], inside, spell, port }) => {
    const value = (number(first) + (inside >>> length)) >>> 0;
    const host = hostOf(`http://${spell(value)}${port}/`);
    if (host === undefined) return;
    expect(isIP(host) !== 0 || isLocalName(host), host).toBe(true);
    expect(allowsAddress([], host, 80), host).toBe(false);
  });
});

test('a public address stays one in every spelling of IPv4', { timeout }, async () => {
  const asked = fc.record({
    value: fc.nat(0xffff_ffff).filter((value) => /^(8|9|1[1-9]|5\d|8\d|93)\./.test(dotted(value))),
    spell: fc.constantFrom(...SPELLINGS.slice(0, 12)),
  });
  await fuzz('public addresses', 1_000, asked, ({ value, spell }) => {
    const host = hostOf(`http://${spell(value)}/`);
    expect(host).toBeDefined();
    expect(allowsAddress([], host as string, 80), host).toBe(true);
  });
});
