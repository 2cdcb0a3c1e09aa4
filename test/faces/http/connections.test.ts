import { expect, test } from 'vitest';
import { mostConnections, clientNetwork } from '../../../src/faces/http/exchange.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['local', 'local'],
])('%s is counted as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test.each([
  [undefined, 256],
  [1_048_576, 256],
  [1_024, 128],
  [400, 50],
  [4, 1],
])('of %s descriptors one address has %s connections', (descriptors, most) => {
  expect(mostConnections(descriptors)).toBe(most);
});
