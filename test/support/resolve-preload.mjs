// Loaded into a process under test: replaces DNS. Names below .test resolve to the addresses of `NAMES`, all others fail.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const NAMES = {
  'loopback.test': ['127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
};

dns.promises.lookup = async (host) => {
  const addresses = NAMES[host];
  if (addresses) return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', hostname: host });
};
syncBuiltinESMExports();
