import { expect, test } from 'vitest';
import { reader } from '../../support/reader.ts';

test('a file names what it uses of this tree and of packages', async () => {
  const { write, read } = reader();
  write(
    'src/store.ts',
    'export class Store {\n  get() {}\n}\nexport function open() {}\nfunction hidden() {}\n',
  );
  write('src/words.ts', 'export const WORDS = 3;\n');
  write(
    'src/app.ts',
    "import { join } from 'node:path';\nimport { Store, open } from './store.ts';\nimport './words.ts';\n\nconst one: Store = open(join('a'));\none.get();\nopen('b');\n",
  );
  expect(await read('src/app.ts:imports')).toBe(
    'From elsewhere: node:path\nsrc/store.ts\n  Store 2, 5\n  open 2, 5, 7\nsrc/words.ts\n' +
      '[src/app.ts imports 2 files of this tree and 1 module from elsewhere. Use src/store.ts:#Store to read what it uses]',
  );
  expect(await read('src/store.ts:#Store')).toContain('1|export class Store {');
  expect(await read('src/words.ts:imports')).toContain('src/words.ts imports nothing that was found');
  expect(await read('src/app.ts:imports?from=9')).toContain('src/app.ts:imports');
});

test('a name from a package of Python is no module of its own', async () => {
  const { write, read } = reader();
  write('app.py', 'import os\nfrom a.b import c, d\n');
  expect(await read('app.py:imports')).toBe(
    'From elsewhere: os, a.b\n[app.py imports 0 files of this tree and 2 modules from elsewhere]',
  );
});

test('a name from a module of the own crate leads to its file', async () => {
  const { write, read } = reader();
  write('src/lib.rs', 'mod util;\nmod part;\npub struct Top;\n');
  write('src/util.rs', 'pub fn help() {}\n');
  write('src/part/util.rs', 'pub fn other() {}\n');
  write(
    'src/part/mod.rs',
    'use crate::util::help;\nuse crate::Top;\nuse std::io;\nfn b(t: Top) { help(); }\n',
  );
  const text = await read('src/part/mod.rs:imports');
  expect(text).toMatch(/^From elsewhere: std::io\n/);
  expect(text).toContain('src/util.rs\n  help 1, 4\n');
  expect(text).toMatch(/\nsrc\/lib\.rs\n(?: {2}.*\n)* {2}Top 2, 4\n/);
  expect(text).not.toContain('src/part/util.rs');
});

test('the inline tests of a file of Rust import the file itself, and no other', async () => {
  const { write, read } = reader();
  write('src/lib.rs', 'mod a;\nmod b;\npub struct Top;\n');
  write('src/a.rs', 'pub fn go() {}\nmod tests {\n    use super::*;\n    fn t() { go(); }\n}\n');
  write('src/b.rs', 'use super::Top;\nmod tests {\n    use super::super::Top as T;\n}\n');
  expect(await read('src/a.rs:imports')).toContain('src/a.rs imports nothing that was found');
  expect(await read('src/b.rs:imports')).toMatch(/^src\/lib\.rs\n {2}Top 1, 3\n\[/);
});

test(':imports of a directory or of text is refused with a call that works', async () => {
  const { write, read } = reader();
  write('src/a.ts', 'let a;\n');
  write('a.txt', 'text\n');
  expect(await read('src:imports')).toMatch(/^BAD_SELECTOR|^NOT_FOUND/);
  expect(await read('a.txt:imports')).toContain('a.txt imports nothing that was found');
});

test('what a namespace declares is named, and not the namespace', async () => {
  const { write, read } = reader();
  write(
    'log.hpp',
    'namespace acme {\nnamespace inner {\nclass Sink {\n  void flush();\n};\n}\nvoid open();\n}\n',
  );
  write('a.cpp', '#include "log.hpp"\nnamespace acme {\nvoid run(inner::Sink *s) { open(); }\n}\n');
  expect(await read('a.cpp:imports')).toMatch(
    /^log\.hpp\n  Sink 3\n  open 3\n|^log\.hpp\n  acme\.inner\.Sink 3\n  acme\.open 3\n/,
  );
});

test('private modules of Python are imported', async () => {
  const { write, read } = reader();
  write('shop/__init__.py', '');
  write('shop/_auth.py', 'class Auth:\n    pass\n');
  write('shop/cart.py', 'import logging\nfrom ._auth import Auth\n\nAuth()\n');
  write('shop/logging.py', 'def log(): ...\n');
  expect(await read('shop/cart.py:imports')).toMatch(
    /^From elsewhere: logging\nshop\/_auth\.py\n {2}Auth 2, 4\n\[/,
  );
  expect(await read('shop/_auth.py:refs')).toMatch(/^shop\/cart\.py\n/);
});

test('tsconfig.json says what a name means, also in the script of a component', async () => {
  const { write, read } = reader();
  write('tsconfig.json', '{"compilerOptions": {"paths": {"@/*": ["./web/*"]}}}');
  write('web/till.ts', 'export const till = 3;\n');
  write('app/App.vue', '<script setup>\nimport { till } from "@/till";\n</script>\n');
  expect(await read('web/till.ts:refs')).toMatch(/^app\/App\.vue\n/);
  expect(await read('app/App.vue:imports')).toMatch(/^web\/till\.ts\n\[/);
});
