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

test(':imports of a directory or of text is refused with a call that works', async () => {
  const { write, read } = reader();
  write('src/a.ts', 'let a;\n');
  write('a.txt', 'text\n');
  expect(await read('src:imports')).toMatch(/^BAD_SELECTOR|^NOT_FOUND/);
  expect(await read('a.txt:imports')).toContain('a.txt imports nothing that was found');
});
