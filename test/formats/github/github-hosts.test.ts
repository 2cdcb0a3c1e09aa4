/** Which web pages belong to the API named by the environment. */

import { afterEach, expect, test, vi } from 'vitest';
import { pageHost } from '../../../src/formats/github/repository.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['', '', 'github.com'],
  ['', 'https://ghe.example', 'github.com'],
  ['https://api.github.com', 'https://github.com', 'github.com'],
  ['https://api.github.com', '', 'github.com'],
  ['https://ghe.example/api/v3', 'https://ghe.example', 'ghe.example'],
  ['https://ghe.example/api/v3/', '', 'ghe.example'],
  ['https://api.acme.ghe.com', '', 'acme.ghe.com'],
  // A proxy of GitHub's own.
  ['http://127.0.0.1:8080', '', 'github.com'],
  ['http://127.0.0.1:8080', 'https://github.com', 'github.com'],
  ['no URL', '', 'github.com'],
])('API %j, server %j: %s', (api, server, host) => {
  vi.stubEnv('GITHUB_API_URL', api);
  vi.stubEnv('GITHUB_SERVER_URL', server);
  expect(pageHost()).toBe(host);
});
