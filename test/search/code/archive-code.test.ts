/** Queries about the code in an archive. */

import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { tar } from '../../support/tar.ts';
import { codeOf, nextOf, textOf, type Workspace, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

const STORE = `'use strict';
const { trim } = require('./trim');

class Store {
  put(key, value) {
    this[key] = trim(value);
  }

  get(key) {
    return this[key];
  }
}

module.exports = { Store };
`;
const TRIM = `exports.trim = function trim(text) {
  return text.trim();
};
`;

const files: readonly [string, string][] = [
  ['package/lib/store.js', STORE],
  ['package/lib/trim.js', TRIM],
  ['package/index.js', "module.exports = require('./lib/store');\n"],
  ['package/README.md', '# Title\n'],
  ['other/x.py', 'def run(path):\n    return path\n'],
];

let w: Workspace;

beforeEach(() => {
  w = workspace();
  const packed = tar(files.map(([name, body]) => ({ name, content: body })));
  w.write('pkg.tar', packed);
  w.write('pkg.tgz', gzipSync(packed));
  w.write('pkg.zip', zip(files.map(([name, body]) => ({ name, content: body }))));
});

describe.each(['pkg.tar', 'pkg.tgz', 'pkg.zip'])('%s', (name) => {
  test('shows its map and that of a directory inside', { tags: 'slow' }, async () => {
    const text = await w.text(`${name}:package:outline`);
    expect(text).toContain('lib/store.js: Store 4-12, .put 5-7, .get 9-11, exports 14\n');
    expect(text).toContain('lib/trim.js: ');
    expect(text).toContain(
      `[4 files of ${name}:package, the most important first, with 5 symbols. Use ${name}:package:#NAME for a symbol]`,
    );
    expect(await w.text(`${name}:outline`)).toContain('other/x.py: run 1-2\n');
  });

  test('shows a symbol of it, alone and in a list', { tags: 'slow' }, async () => {
    expect(await w.text(`${name}:package:#Store.put`)).toBe(
      `5|  put(key, value) {\n6|    this[key] = trim(value);\n7|  }\n[Declared in ${name}:package/lib/store.js:5..7]`,
    );
    expect(await w.text(`${name}:#run`)).toContain('1|def run(path):');
    const list = await w.text(`${name}:#Store.get,#run`);
    expect(list).toContain(`${name}:package/lib/store.js [L9-11]\n9|  get(key) {`);
    expect(list).toContain(`${name}:other/x.py [L1-2]\n1|def run(path):`);
  });

  test('shows uses of a symbol and importers of a member', async () => {
    expect(await w.text(`${name}:package:#trim:refs`)).toContain(
      '  6|this[key] = trim(value); [in Store.put 5-7]',
    );
    expect(await w.text(`${name}:package/lib/store.js:refs`)).toBe(
      `${name}:package/index.js\n[1 file imports ${name}:package/lib/store.js]`,
    );
  });

  test('an undeclared name is answered with a call that works', async () => {
    const answer = await w.read(`${name}:package:#Stoer`);
    expect([codeOf(answer), textOf(answer)]).toEqual([
      'NOT_FOUND',
      `No code below ${name}:package declares 'Stoer'. Did you mean Store? Use ${name}:package:#Store.`,
    ]);
    expect(await w.text(`${name}:package:#Store`)).toContain('4|class Store {');
  });

  test('outline and symbols of a member are its own', async () => {
    expect(await w.text(`${name}:package/lib/trim.js:outline`)).toContain('[L1-3]');
    expect(await w.text(`${name}:package/lib/store.js:#Store.get`)).toContain('9|  get(key) {');
  });
});

test('following the pages reaches the last file', async () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    name: `d${i}/a-file-${i}.js`,
    content: `f${i}();\n`,
  }));
  w.write('many.tgz', gzipSync(tar(many)));
  const seen: string[] = [];
  for (let at: string | undefined = 'many.tgz:outline?bytes=300'; at !== undefined;) {
    expect(seen).not.toContain(at);
    seen.push(at);
    const answer = await w.read(at);
    expect(codeOf(answer)).toBe('OK');
    at = nextOf(answer);
  }
  expect(seen.length).toBeGreaterThan(2);
});

test('a changed archive is visible to the next call', async () => {
  expect(await w.text('pkg.tgz:#Store.put')).toContain('5|  put(');
  const changed = files.map(([name, body]) => ({
    name,
    content: name.endsWith('store.js') ? `\n${body}` : body,
  }));
  w.write('pkg.tgz', gzipSync(tar(changed)));
  expect(await w.text('pkg.tgz:#Store.put')).toContain('6|  put(');
});

test('a member too large has no symbols, with a notice', async () => {
  const large = `function early() {}\n${'// a comment line that is long enough\n'.repeat(40_000)}`;
  w.write(
    'large.tgz',
    gzipSync(tar([...files, ['large.js', large]].map(([name = '', body = '']) => ({ name, content: body })))),
  );
  const text = await w.text('large.tgz:outline');
  expect(text).not.toContain('early');
  expect(text).toContain('The symbols of 1 code file are not known: larger than 1 MiB');
});
