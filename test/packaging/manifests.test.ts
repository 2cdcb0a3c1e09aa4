/**
 * @module-tag check
 */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createOffer } from '../../src/faces/offer.ts';

const json = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

const manifest = json('package.json');

test('server.json has this version and the name of the package', () => {
  const server = json('server.json');
  expect(server).toMatchObject({
    $schema: expect.stringMatching(
      /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/.*\/server\.schema\.json$/,
    ),
    name: manifest['mcpName'],
    version: manifest['version'],
    packages: [
      {
        registryType: 'npm',
        identifier: manifest['name'],
        version: manifest['version'],
        transport: { type: 'stdio' },
      },
    ],
  });
  // The registry's own rules.
  expect(server['name']).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect((server['description'] as string).length).toBeLessThanOrEqual(100);
});

test('both manifests say where the project lives, or neither does', () => {
  const { repository, homepage, bugs } = manifest as Partial<Record<string, { url: string } | string>>;
  const { repository: source, websiteUrl } = json('server.json') as {
    repository?: { url: string; source: string };
    websiteUrl?: string;
  };
  const plain = (url: string | undefined): string | undefined =>
    url?.replace(/^git\+/, '').replace(/\.git$/, '');
  const said = [repository, homepage, bugs, source, websiteUrl].filter((value) => value !== undefined);
  expect([0, 5]).toContain(said.length);
  expect(plain(source?.url)).toBe(plain(typeof repository === 'string' ? repository : repository?.url));
  expect(websiteUrl).toBe(homepage);
});

test('what is published beside it has its version and scope', () => {
  for (const name of readdirSync('packages'))
    expect(json(`packages/${name}/package.json`)).toMatchObject({
      name: `@oriel/${name}`,
      version: manifest['version'],
      license: manifest['license'],
      engines: manifest['engines'],
    });
});

test('no script runs when a user installs the package', () => {
  const names = Object.keys(manifest['scripts'] as object);
  const runs = ['preinstall', 'install', 'postinstall', 'prepare'];
  expect(names.filter((name) => runs.includes(name))).toEqual([]);
  expect(names).toContain('prepack');
});

test('the bundle says directories, as the docs do', () => {
  expect(readFileSync('packaging/mcpb/manifest.json', 'utf8')).not.toMatch(/folder/i);
});

test('the bundle starts our command line and names its tools', async () => {
  const bundle = json('packaging/mcpb/manifest.json');
  const offer = createOffer({});
  const names = offer.tools().map(({ name }) => name);
  await offer.close();
  expect((bundle['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(names);
  const { bin } = manifest as { bin: { oriel: string } };
  expect(bundle).toMatchObject({
    version: manifest['version'],
    license: manifest['license'],
    server: { type: 'node', entry_point: bin.oriel },
    compatibility: { runtimes: manifest['engines'] },
  });
});

/** What npm installs of these packages on Linux with musl, by `os`, `cpu` and `libc` of the lock file. */
function chosenForMusl(names: readonly string[], cpu: string): string[] {
  const { packages } = json('package-lock.json') as { packages: Record<string, LockedPackage> };
  const found = names.flatMap((name) => {
    const { optionalDependencies = {}, os, cpu: cpus, libc } = packages[`node_modules/${name}`] ?? {};
    const fits = os?.includes('linux') && cpus?.includes(cpu) && (libc?.includes('musl') ?? true);
    return [...(fits ? [name] : []), ...chosenForMusl(Object.keys(optionalDependencies), cpu)];
  });
  return [...new Set(found)];
}

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

test.each(['x64', 'arm64'])('every native part has a build for musl on %s', (cpu) => {
  const optional = Object.keys(manifest['optionalDependencies'] as object);
  expect(chosenForMusl(optional, cpu)).toEqual([
    `@firecrawl/anydoc-linux-${cpu}-musl`,
    `@firecrawl/pdf-inspector-linux-${cpu}-musl`,
    `@vscode/ripgrep-linux-${cpu}`,
    `@img/sharp-libvips-linuxmusl-${cpu}`,
    `@img/sharp-linuxmusl-${cpu}`,
  ]);
});

test.runIf(process.platform === 'linux')('ripgrep needs no C library', () => {
  const binary = readFileSync(`node_modules/@vscode/ripgrep-linux-${process.arch}/bin/rg`);
  // The name of the loader of a program that needs glibc.
  expect(binary.includes('ld-linux')).toBe(false);
  expect(readFileSync(process.execPath).includes('ld-linux')).toBe(true);
});
