/** Which package registry is used: as configured in the tools of the user, in their order of precedence. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createAccess } from '../../../src/files/local.ts';
import type { PageVisit } from '../../../src/formats/web/page-step.ts';
import { npmRegistry, pythonIndex } from '../../../src/formats/web/site-api.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { emptyHome } from '../../support/home.ts';

let home = '';
beforeEach(() => {
  home = emptyHome();
});

/** A visit in a project with this `.npmrc`. */
function visit(npmrc?: string): PageVisit {
  const cwd = temporaryFolder();
  if (npmrc !== undefined) writeFileSync(join(cwd, '.npmrc'), npmrc);
  const access = createAccess({ cwd, roots: [cwd], allow: [] });
  return { access, signal: new AbortController().signal } as unknown as PageVisit;
}

function write(path: string, content: string): string {
  const full = join(home, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

describe('npm', () => {
  test('none is configured', async () => {
    expect(await npmRegistry('widget', visit())).toBeUndefined();
  });

  test('the environment in any case, then project, then user', async () => {
    write('.npmrc', 'registry = "http://user.example/npm/"\n');
    expect(await npmRegistry('widget', visit())).toEqual({ url: 'http://user.example/npm', trusted: true });
    const project = visit('; a comment\nregistry=http://project.example/\n');
    expect(await npmRegistry('widget', project)).toEqual({ url: 'http://project.example', trusted: false });
    vi.stubEnv('NPM_CONFIG_REGISTRY', 'http://environment.example/');
    expect(await npmRegistry('widget', project)).toEqual({
      url: 'http://environment.example',
      trusted: true,
    });
  });

  test('a scope’s registry takes precedence over the general one', async () => {
    vi.stubEnv('npm_config_registry', 'http://environment.example/');
    write('.npmrc', '@acme:registry=http://acme.example/\n//acme.example/:_authToken=secret\n');
    expect(await npmRegistry('@acme/widget', visit())).toMatchObject({ url: 'http://acme.example' });
    expect(await npmRegistry('@other/widget', visit())).toMatchObject({ url: 'http://environment.example' });
  });

  test('another file of the user', async () => {
    vi.stubEnv('npm_config_userconfig', write('other', 'registry=http://other.example\n'));
    expect(await npmRegistry('widget', visit())).toMatchObject({ url: 'http://other.example' });
  });

  test('variables of a package tool are untrusted, and used last', async () => {
    vi.stubEnv('npm_execpath', '/usr/lib/node_modules/npm/bin/npm-cli.js');
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:8999/');
    vi.stubEnv('NAMED', 'secret');
    vi.stubEnv('npm_config_userconfig', write('project/rc', 'registry=http://rc.example/${NAMED}/\n'));
    expect(await npmRegistry('widget', visit())).toEqual({ url: 'http://127.0.0.1:8999', trusted: false });
    write('.npmrc', 'registry=http://user.example/\n');
    expect(await npmRegistry('widget', visit())).toEqual({ url: 'http://user.example', trusted: true });
  });

  test('variables are expanded in files of users, never of projects', async () => {
    vi.stubEnv('NAMED', 'secret');
    expect(await npmRegistry('widget', visit('registry=http://host.example/${NAMED}/\n'))).toEqual({
      url: 'http://host.example/$%7BNAMED%7D',
      trusted: false,
    });
    write('.npmrc', 'registry=http://host.example/${NAMED}/\n');
    expect(await npmRegistry('widget', visit())).toMatchObject({ url: 'http://host.example/secret' });
  });

  test.each([
    'registry=http://me:secret@host.example/',
    'registry=file:///etc',
    'registry',
    '[registry]\na=b',
    '\0',
  ])('%j is not a registry', async (content) => {
    expect(await npmRegistry('widget', visit(content))).toBeUndefined();
  });
});

describe('pip', () => {
  const named = (content: string) => vi.stubEnv('PIP_CONFIG_FILE', write('pip.ini', content));

  test('none is configured', async () => {
    expect(await pythonIndex(visit())).toBeUndefined();
  });

  test('the environment takes precedence over a file; /simple is removed', async () => {
    named('[global]\nindex-url = http://file.example/root/simple/\n');
    expect(await pythonIndex(visit())).toEqual({ url: 'http://file.example/root', trusted: true });
    vi.stubEnv('PIP_INDEX_URL', 'http://environment.example/simple');
    expect(await pythonIndex(visit())).toEqual({ url: 'http://environment.example', trusted: true });
  });

  test('command-specific settings take precedence over global ones', async () => {
    named(
      '[global]\nindex_url = http://global.example/simple\n[install]\nindex-url = http://install.example/simple\n',
    );
    expect(await pythonIndex(visit())).toMatchObject({ url: 'http://install.example' });
  });

  test.runIf(process.platform === 'linux')(
    'the file of a virtualenv takes precedence over the user’s',
    async () => {
      vi.stubEnv('PIP_CONFIG_FILE', undefined);
      write('.config/pip/pip.conf', '[global]\nindex-url = http://user.example/simple\n');
      expect(await pythonIndex(visit())).toMatchObject({ url: 'http://user.example' });
      vi.stubEnv('VIRTUAL_ENV', home);
      write('pip.conf', '[global]\nindex-url = http://venv.example/simple\n');
      expect(await pythonIndex(visit())).toEqual({ url: 'http://venv.example', trusted: false });
    },
  );

  test.each(['http://10.0.0.1/x#', 'http://10.0.0.1/x?a=', 'http://me@10.0.0.1/'])(
    'one with query, fragment or credentials is not used: %s',
    async (url) => {
      vi.stubEnv('PIP_INDEX_URL', url);
      expect(await pythonIndex(visit())).toBeUndefined();
    },
  );
});
