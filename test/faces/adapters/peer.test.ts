/** A library that is too old for its adapter is refused by name; one that is not found is not judged. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { needsPeer, MIN_PEER_VERSIONS } from '../../../src/faces/adapters/blocks.ts';
import { version } from '../../../src/files/package-files.ts';
import {
  OLDEST_STORE_VERSIONS as OLDEST_OF_STATE,
  refuseOlder,
} from '../../../packages/scale/src/state/store.ts';
import { temporaryFolder } from '../../support/commands.ts';
import '../../support/scale.ts';

const names = Object.keys(MIN_PEER_VERSIONS) as (keyof typeof MIN_PEER_VERSIONS)[];

function beside(name: string, version: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
  return pathToFileURL(join(folder, 'adapter.js')).href;
}

test.each(names)('%s', (name) => {
  expect(() => needsPeer(name, 'it', beside(name, '0.0.9'))).toThrow(
    `oriel/it needs version ${MIN_PEER_VERSIONS[name]} of the package ${name}, or a newer one, and 0.0.9 is installed. Use npm install ${name}@latest.`,
  );
  for (const version of [MIN_PEER_VERSIONS[name], `${MIN_PEER_VERSIONS[name]}-beta.1`, '99.0.0']) {
    expect(() => needsPeer(name, 'it', beside(name, version))).not.toThrow();
  }
  expect(() => needsPeer(name, 'it', pathToFileURL('/nowhere/adapter.js').href)).not.toThrow();
});

test('optional peer dependencies accept any version, checked on use', () => {
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  expect([...new Set(Object.values(peerDependencies))]).toEqual(['*']);
});

test.each(Object.entries(OLDEST_OF_STATE))('a shared state and an old %s', (name, least) => {
  expect(() => refuseOlder([name], 'redis:', beside(name, '0.9.0'))).toThrow(
    `A state at redis:// needs version ${least} of the package ${name}, or a newer one, and 0.9.0 is installed. Use npm install @oriel/scale@${version()} ${name}@`,
  );
  for (const version of [least, '99.0.0']) refuseOlder([name], 'redis:', beside(name, version));
});

test('the oldest versions match the adapter tests and the docs', () => {
  const cases = readFileSync('scripts/peers.mjs', 'utf8');
  for (const name of names) expect(cases).toContain(`'${name}@${MIN_PEER_VERSIONS[name]}'`);
  const page = readFileSync('docs/adapters.md', 'utf8');
  const [, agent = 'none'] = /'@anthropic-ai\/claude-agent-sdk@(\d[.\d]*)'/.exec(cases) ?? [];
  for (const least of [MIN_PEER_VERSIONS['@langchain/core'], '1.23', '1.11', agent])
    expect(page).toContain(`${least} or newer`);
});
