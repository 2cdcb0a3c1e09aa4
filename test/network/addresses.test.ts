/** Which addresses and ports may be connected to, with and without the operator's word. */

import { describe, expect, test } from 'vitest';
import {
  allowsAddress,
  allowsHost,
  allowsPortOf,
  checkPort,
  hasCredentials,
  hostName,
  isLocalName,
  parseAllowed,
} from '../../src/network/addresses.ts';
import { checkOptions } from '../../src/options.ts';

const allowed = (...texts: string[]) => texts.map(parseAllowed);

describe('without the operator', () => {
  const PRIVATE =
    '0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.1.2.3 169.254.169.254 172.16.0.1 ' +
    '172.31.255.255 192.0.0.192 192.0.2.1 192.168.0.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 ' +
    '224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ' +
    '::ffff:10.0.0.1 ::ffff:0:127.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 ' +
    '2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%lo fec0::1 ff02::1 ' +
    'nonsense';

  test.each([...PRIVATE.split(' '), ''])('%s is refused', (address) => {
    expect(allowsAddress([], address, 80)).toBe(false);
  });

  const PUBLIC =
    '1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 192.167.255.255 ' +
    '198.20.0.1 223.255.255.254 168.63.129.17 ::ffff:8.8.8.8 2606:4700::6810:122 2a00:1450:4001:81b::200e ' +
    '2400:cb00::1';

  test.each(PUBLIC.split(' '))('%s is allowed', (address) => {
    expect(allowsAddress([], address, 80)).toBe(true);
  });

  test.each([80, 443, 3000, 8000, 8080, 9200])('port %i is allowed', (port) => {
    expect(() => checkPort([], port)).not.toThrow();
  });
});

describe('what the operator allows', () => {
  test.each<[string, string, number]>([
    ['127.0.0.1', '127.0.0.1', 80],
    ['127.0.0.1', '::ffff:127.0.0.1', 80],
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['10.0.0.0/8', '10.255.0.1', 443],
    ['10.0.0.0/8:443', '10.255.0.1', 443],
    ['::1', '::1', 80],
    ['[::1]:8080', '::1', 8080],
    ['fd00::/8', 'fd12::1', 80],
    ['[fd00::]/8:443', 'fd12::1', 443],
    ['::ffff:10.0.0.0/104', '10.255.0.1', 80],
    ['::ffff:127.0.0.1', '127.0.0.1', 80],
  ])('%s: %s at port %i', (rule, address, port) => {
    expect(allowsAddress(allowed(rule), address, port)).toBe(true);
  });

  test.each<[string, string, number]>([
    ['127.0.0.1', '127.0.0.2', 80],
    ['127.0.0.1:8080', '127.0.0.1', 80],
    ['10.0.0.0/8', '11.0.0.1/8', 80],
    ['10.0.0.0/8', '192.168.0.1', 80],
    ['0.0.0.0/0', '::1', 80],
    ['[::1]:8080', '::1', 80],
    ['localhost', '127.0.0.1', 80],
    ['::ffff:10.0.0.0/104', '192.168.0.1', 80],
  ])('%s: not %s at port %i', (rule, address, port) => {
    expect(allowsAddress(allowed(rule), address, port)).toBe(false);
  });

  test('a name matches in any case, with or without dot', () => {
    const rules = allowed('Intranet.example', 'build:8080');
    expect(allowsHost(rules, 'intranet.EXAMPLE.', 80)).toBe(true);
    expect(allowsHost(rules, 'x.intranet.example', 80)).toBe(false);
    expect(allowsHost(rules, 'build', 8080)).toBe(true);
    expect(allowsHost(rules, 'build', 80)).toBe(false);
  });

  test('a name in another script is that of its URLs', () => {
    expect(allowsHost(allowed('Bücher.example'), new URL('http://bücher.example').hostname, 80)).toBe(true);
  });

  test.each<[string, string, string, boolean]>([
    ['mail.example:25', 'mail.example', '203.0.113.1', true],
    ['mail.example:25', 'other.example', '203.0.113.1', false],
    ['mail.example', 'mail.example', '203.0.113.1', false],
    ['10.0.0.0/8:25', 'mail.example', '10.1.1.1', true],
    ['10.0.0.0/8:25', 'mail.example', '203.0.113.1', false],
  ])('%s: port 25 of %s at %s: %j', (rule, host, address, open) => {
    expect(allowsPortOf(allowed(rule), { host, address, port: 25 })).toBe(open);
  });
});

test('names that can only mean this machine or its network', () => {
  for (const name of ['localhost', 'LOCALHOST.', 'x.localhost', 'intranet'])
    expect(isLocalName(name)).toBe(true);
  for (const name of ['example.com', 'localhost.example']) expect(isLocalName(name)).toBe(false);
});

describe('what the operator writes', () => {
  const read = (text: string): unknown => {
    const rule = parseAllowed(text);
    const place = 'host' in rule ? rule.host : `${rule.range[0].toString()}/${rule.range[1]}`;
    return rule.port === undefined ? [place] : [place, rule.port];
  };

  test.each<[string, readonly (string | number)[]]>([
    ['localhost', ['localhost']],
    ['localhost:8080', ['localhost', 8080]],
    ['Intranet.example.', ['intranet.example']],
    ['my_host-1', ['my_host-1']],
    ['bücher.example:1', ['xn--bcher-kva.example', 1]],
    ['10.0.0.1', ['10.0.0.1/32']],
    ['10.0.0.1:65535', ['10.0.0.1/32', 65_535]],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['10.0.0.0/32', ['10.0.0.0/32']],
    ['10.0.0.0/8:443', ['10.0.0.0/8', 443]],
    ['fd00::1', ['fd00::1/128']],
    ['fd00::/8', ['fd00::/8']],
    ['[fd00::1]', ['fd00::1/128']],
    ['[fd00::1]:443', ['fd00::1/128', 443]],
    ['[fd00::]/8', ['fd00::/8']],
    ['[fd00::]/8:443', ['fd00::/8', 443]],
    ['[fd00::]/16', ['fd00::/16']],
    ['::/128', ['::/128']],
    ['::ffff:10.0.0.0/104', ['10.0.0.0/8']],
    ['::ffff:10.0.0.0/96', ['10.0.0.0/0']],
    ['::ffff:0:0/95', ['::ffff:0:0/95']],
  ])('%s', (text, rule) => {
    expect(read(text)).toStrictEqual(rule);
    expect(() => checkOptions({ web: { allow: [text] } })).not.toThrow();
  });

  const NONE =
    'x:65536|x:0|10.0.0.1:0|x:|x:1x|a:b:c|a!b|!||http://x|a b|a/b|10.0.0.0/8x|10.0.0.0/|10.0.0.0/33|' +
    '[fd00::]8|x[fd00::1]|[fd00::/8|fd00::]/8|[]|[fd00::]/129';

  test.each(NONE.split('|'))('%s is neither a host nor a range', (text) => {
    const reason = 'is not HOST or CIDR, with or without :PORT. Use localhost:8080 or 10.0.0.0/8.';
    const error = { code: 'BAD_INPUT', message: `${text} ${reason}` };
    expect(() => parseAllowed(text)).toThrow(expect.objectContaining(error));
    expect(() => checkOptions({ web: { allow: [text] } })).toThrow(reason);
  });
});

test.each([0, 22, 25, 53, 110, 143, 389, 5060, 6000, 6667])('port %i is open only where named', (port) => {
  const blocked = {
    code: 'BLOCKED_PORT',
    message: `Port ${port} is not one of a web server. Use a URL with another port.`,
  };
  expect(() => checkPort([], port)).toThrow(expect.objectContaining(blocked));
  expect(() => checkPort(allowed('x:23', '127.0.0.1'), port)).toThrow(expect.objectContaining(blocked));
  if (port > 0) expect(() => checkPort(allowed(`x:${port}`, 'y'), port)).not.toThrow();
});

test('an ordinary port is open to everyone', () => {
  expect(allowsPortOf([], { host: 'x', address: '203.0.113.1', port: 443 })).toBe(true);
});

test('a host name has one form', () => {
  expect(['A.Example', 'a.example.', 'a.example..', '.'].map(hostName)).toStrictEqual([
    'a.example',
    'a.example',
    'a.example.',
    '',
  ]);
});

describe('a service from which a cloud machine gets its credentials', () => {
  const METADATA =
    '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254 ' +
    'FD00:EC2:0::254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe metadata.google.internal ' +
    'METADATA.google.internal.';

  test.each(METADATA.split(' '))('%s', (host) => {
    expect(hasCredentials(host)).toBe(true);
  });

  const OTHERS =
    '169.254.169.253 fd00:ec2::255 2606:4700::a9fe:a9fe 64:ff9b::a9fe:a9fd google.internal ' +
    'x.metadata.google.internal';

  test.each([...OTHERS.split(' '), ''])('not %s', (host) => {
    expect(hasCredentials(host)).toBe(false);
  });
});
