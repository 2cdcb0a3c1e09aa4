/** Queries about the code below a directory, through `read`. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../support/has.ts';
import { codeOf, nextOf, textOf, type Workspace, workspace } from '../../support/workspace.ts';

const STORE = `import { open } from './open.ts';

/** Keeps values. */
export class Store {
  readonly #values = new Map<string, string>();

  /** Writes one value. */
  put(key: string, value: string): void {
    this.#values.set(key, open(value));
  }

  close(): void {
    this.#values.clear();
  }
}
`;

const OPEN = `export function open(text: string): string {
  return text.trim();
}
`;

const MAIN = `import { Store } from './lib/store.ts';

export function main(): void {
  const store = new Store();
  store.put('a', 'b');
  store.close();
}
`;

const OTHER = `export function open(): void {
  const door = { close() {} };
  door.close();
}
`;

/** The files that a map names: `a.ts: open 1-3`, `src/*.ts: a b`, `src/: README.md`. */
function namedIn(map: string): string[] {
  return map.split('\n').flatMap((line) => {
    const [, head = '', rest = ''] = /^([^\s:[]+): (.*)$/.exec(line) ?? [];
    if (head.endsWith('/')) return rest.split(' ').map((name) => head.replace('./', '') + name);
    return head.includes('*') ? rest.split(' ').map((name) => head.replace('*', name)) : head ? [head] : [];
  });
}

let w: Workspace;

beforeEach(() => {
  w = workspace();
  w.write('src/main.ts', MAIN);
  w.write('src/lib/store.ts', STORE);
  w.write('src/lib/open.ts', OPEN);
  w.write('src/door.ts', OTHER);
  w.write('src/README.md', '# Title\n');
  w.write('tool/run.py', 'import os\n\n\ndef run(path):\n    return os.stat(path)\n');
});

describe('the map of a directory', () => {
  test('lists files with symbols and ranges, the most important first', { tags: 'slow' }, async () => {
    expect(await w.text('src:outline')).toBe(
      [
        'lib/store.ts: Store 4-15, .put 8-10, .close 12-14',
        'lib/open.ts: open 1-3',
        'door.ts: open 1-4, .close 2',
        'main.ts: main 3-7',
        './: README.md',
        '[5 files of src, the most important first, with 7 symbols. Use src:#NAME for a symbol]',
      ].join('\n'),
    );
  });

  test('files beyond the budget are counted; next calls reach them', { tags: 'slow' }, async () => {
    for (let i = 0; i < 60; i += 1)
      w.write(`src/many/file${i}.ts`, `export function made${i}() {\n  return ${i};\n}\n`);
    const seen = new Set<string>();
    let target: string | undefined = 'src:outline?bytes=400';
    for (let call = 0; target !== undefined && call < 40; call += 1) {
      const answer = await w.read(target);
      for (const name of namedIn(textOf(answer))) seen.add(name);
      target = nextOf(answer);
    }
    expect(seen.size).toBe(65);
  });

  test('the lines and the notices together fit the budget', { tags: 'slow' }, async () => {
    const words = ['read', 'write', 'open', 'close', 'parse', 'print', 'merge', 'split', 'join', 'sort'];
    for (let i = 0; i < 300; i += 1) {
      const name = `${words[i % 10]}${words[Math.floor(i / 10) % 10]}`;
      const lines = words.map((word) => `export function ${name}_${word}${i}() {\n  return 1;\n}\n`);
      w.write(`src/${words[i % 7]}/${name}-${i}.ts`, lines.join(''));
    }
    const sizes = [1, 256, 300, 400, 600, 1_000, 3_000, undefined, 9_000, 16_384];
    for (const bytes of sizes) {
      let target: string | undefined = `src:outline${bytes === undefined ? '' : `?bytes=${bytes}`}`;
      const budget = Math.max(256, bytes ?? 8_192);
      for (let page = 0; target !== undefined && page < 4; page += 1) {
        const answer = await w.read(target);
        const size = Buffer.byteLength(textOf(answer));
        expect(size, target).toBeLessThanOrEqual(budget);
        if (page === 0) expect(size, target).toBeGreaterThanOrEqual(budget * 0.8);
        target = nextOf(answer);
      }
    }
    const text = await w.text('src:outline?bytes=600');
    expect(text).toContain('src:outline?bytes=2K for more');
    expect(text).toContain('src:#NAME for a symbol');
  });

  test('notices known only with the map count in its budget', { tags: 'slow' }, async () => {
    for (let i = 0; i < 60; i += 1) w.write(`src/many/file${i}.ts`, `export const made${i} = ${i};\n`);
    w.write('src/huge.ts', `// ${'x'.repeat(1 << 20)}\n`);
    for (const bytes of [400, 450, 500, 600]) {
      const text = await w.text(`src:outline?bytes=${bytes}`);
      expect(text).toContain('The symbols of 1 code file are not known');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    }
  });

  // Every page makes progress.
  test('a path longer than the budget is shown anyway', { tags: 'slow' }, async () => {
    w.write(`src/${'long/'.repeat(120)}x.ts`, 'export const x = 1;\n');
    const seen = new Set<string>();
    let target: string | undefined = 'src:outline?bytes=256';
    for (let call = 0; target !== undefined && call < 20; call += 1) {
      expect(seen).not.toContain(target);
      seen.add(target);
      target = nextOf(await w.read(target));
    }
    expect(target).toBeUndefined();
  });

  test('a line budget is kept; calls reach the last file', { tags: 'slow' }, async () => {
    for (let i = 0; i < 40; i += 1) w.write(`src/d${i}/file${i}.ts`, `export const made${i} = ${i};\n`);
    const seen = new Set<string>();
    let target: string | undefined = 'src:outline';
    for (let call = 0; target !== undefined && call < 40; call += 1) {
      const answer = await w.read(target, { limits: { lines: 10 } });
      expect(textOf(answer)).not.toContain('Showing lines');
      for (const name of namedIn(textOf(answer))) seen.add(name);
      target = nextOf(answer);
    }
    expect(seen.size).toBe(45);
  });

  test.runIf(has('git'))('recently changed files come first', { tags: 'slow' }, async () => {
    const git = (...args: string[]): void => {
      const { status, stderr } = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: w.W,
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
    };
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'one');
    const before = (await w.text('src:outline')).split('\n')[0];
    expect(before).toMatch(/^lib\/store\.ts: /);
    w.write('src/door.ts', `// changed\n${OTHER}`);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'two');
    expect((await w.text('src:outline')).split('\n')[0]).toMatch(/^door\.ts: /);
    // A repository elsewhere is not asked.
    rmSync(join(w.O, 'git'), { recursive: true, force: true });
    renameSync(join(w.W, '.git'), join(w.O, 'git'));
    symlinkSync(join(w.O, 'git'), join(w.W, '.git'));
    expect((await w.text('src:outline')).split('\n')[0]).toBe(before);
    rmSync(join(w.W, '.git'));
    w.write('.git', `gitdir: ${join(w.O, 'git')}\n`);
    expect((await w.text('src:outline')).split('\n')[0]).toBe(before);
  });

  test('search words rank matching files higher', { tags: 'slow' }, async () => {
    expect((await w.text('src:outline?q=door')).split('\n')[0]).toMatch(/^door\.ts: /);
  });

  test('generated files are left out', { tags: 'slow' }, async () => {
    w.write('tool/__pycache__/run.cpython-313.pyc', '\0');
    w.write('tool/Run.class', '\0');
    expect(await w.text('tool:outline')).toBe(
      'run.py: run 4-5\n[1 file of tool, the most important first, with 1 symbol. Use tool:#NAME for a symbol]',
    );
  });

  test('omits ignored files; a tree without code shows names', async () => {
    w.write('.gitignore', 'src/lib\n');
    expect(await w.text('src:outline')).not.toContain('store.ts');
    w.write('notes/a.txt', 'a\n');
    expect(await w.text('notes:outline')).toBe(
      './: a.txt\n[1 file of notes, the most important first, with 0 symbols.]',
    );
    mkdirSync(join(w.W, 'nothing'));
    expect(await w.text('nothing:outline')).toBe('[nothing has no files to outline. Use nothing to list it]');
  });

  test.each([
    ['src:outline?size=4', 'src takes no ?size=. Use src:outline with ?bytes= or ?from= or ?q=, or without.'],
    ['src:outline?bytes=many', '?bytes=many is not a valid size. Use src:outline?bytes=32K.'],
    ['src:outline?from=0', '?from=0 is not a whole number from 1 to 999999999. Use src:outline.'],
    ['src:#open?from=x', '?from=x is not a whole number from 1 to 999999999. Use src:#open.'],
    [
      'src:outline:5-9',
      'The outline of a directory takes no selector such as :5-9. Use src:outline, or src:outline?from=N for a later part.',
    ],
    ['src:refs', ':refs is for a file or a name. Use src:outline, or src:#name:refs.'],
  ])('%s is refused with a call that works', async (target, message) => {
    const answer = await w.read(target);
    expect([codeOf(answer), textOf(answer)]).toEqual(['BAD_SELECTOR', message]);
  });
});

describe('a name below a directory', () => {
  test('a single declaration is read', async () => {
    expect(await w.text('src:#Store.put')).toContain('8|  put(key: string, value: string): void {\n');
    expect(await w.text('.:#run')).toBe(
      '4|def run(path):\n5|    return os.stat(path)\n[Declared in tool/run.py:4..5]',
    );
  });

  test('a private name, with and without its #', async () => {
    w.write('src/p.ts', 'class Safe {\n  #turn() {\n    return 1;\n  }\n}\n');
    expect(await w.text('src:#Safe.#turn')).toContain('2|  #turn() {\n');
    expect(await w.text('src:#Safe.turn')).toContain('2|  #turn() {\n');
  });

  test('a bare name is searched below the working directory', async () => {
    expect(await w.text('#Store.close')).toContain('12|  close(): void {\n');
  });

  test('several short declarations are all shown, each with its call', async () => {
    const text = await w.text('src:#open');
    expect(text).toContain('src/lib/open.ts [L1-3]\n1|export function open(text: string): string {\n');
    expect(text).toContain('src/door.ts [L1-4]\n1|export function open(): void {\n');
    expect(text).toContain('src/lib/open.ts:#open');
  });

  test('imports, aliases and tests are no declarations beside one', async () => {
    w.write('lib/route.js', 'exports.Route = function Route(path) {\n  this.path = path;\n};\n');
    w.write('lib/use.js', "var Route = require('./route').Route;\nnew Route('/');\n");
    w.write(
      'lib/test.js',
      "var lib = require('./use')\n  , Route = lib.Route;\ndescribe('Route', () => {\n});\n",
    );
    w.write('lib/a.py', 'import b\n\nRoute = b.Route\n');
    expect(await w.text('lib:#Route')).toMatch(
      /^1\|exports\.Route = .*\[Declared in lib\/route\.js:1\.\.3\]$/s,
    );
    w.write('lib/route.js', '');
    expect(await w.text('lib:#Route')).toContain(
      'ambiguous in lib: Route (lib/use.js:#Route), Route (lib/a.py:#Route), Route (lib/test.js:1..2)',
    );
    expect(await w.text('lib/test.js:#Route:refs')).not.toContain('describe');
  });

  test('many declarations are listed with their calls', async () => {
    for (let i = 0; i < 9; i += 1) w.write(`src/x/${i}.ts`, `export function same() {\n  return ${i};\n}\n`);
    const text = await w.text('src:#same');
    expect(text.split('\n')[0]).toBe('src/x/0.ts:#same  1-3  export function same()');
    expect(text).toContain("['same' is declared in 9 places. Use one of these calls]");
  });

  test('a long list of declarations is paged to the last', async () => {
    const name = (i: number): string => String(i).padStart(2, '0');
    for (let i = 0; i < 70; i += 1)
      w.write(`src/x/${name(i)}.ts`, `export function same() {\n  return ${i};\n}\n`);
    const seen: string[] = [];
    let next: string | undefined = 'src:#same';
    while (next !== undefined) {
      const text: string = await w.text(next);
      seen.push(...Array.from(text.matchAll(/^src\/x\/(\d+)\.ts:#same {2}1-3 {2}/gm), ([, no = '']) => no));
      next = /Use (src:#same\?from=\d+) to continue/.exec(text)?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 70 }, (_, i) => name(i)));
    expect(await w.text('src:#same?from=71')).toContain('71 is beyond the last of 70. Use src:#same');
  });

  test('a page past the end names the first page’s call', async () => {
    const w = workspace();
    for (const name of ['one', 'two'])
      w.write(`src/${name}.ts`, `export function ${name}() {\n  return 1;\n}\n`);
    expect(await w.text('src:outline?from=3')).toBe('[3 is beyond the last of 2. Use src:outline]');
    expect(await w.text('src:outline?from=9&q=two words')).toBe(
      '[9 is beyond the last of 2. Use src:outline?q=two%20words]',
    );
  });

  test('a list reads several symbols from several files', async () => {
    const text = await w.text('.:#Store.put,#main,#run');
    for (const line of ['8|  put(', '3|export function main(', '4|def run(path):'])
      expect(text).toContain(line);
  });

  test('in a list of ambiguous names, undeclared ones are reported', async () => {
    for (let i = 0; i < 9; i += 1) w.write(`src/x/${i}.ts`, `export function same() {\n  return ${i};\n}\n`);
    const text = await w.text('src:#nosuch,#same');
    expect(text).toContain("src declares no 'nosuch'");
    expect(text).toContain('src/x/0.ts:#same  1-3');
  });

  test('an undeclared name is answered with similar names', async () => {
    const answer = await w.read('src:#Stoer');
    expect(codeOf(answer)).toBe('NOT_FOUND');
    expect(textOf(answer)).toBe("No code below src declares 'Stoer'. Did you mean Store? Use src:#Store.");
  });

  test('a changed file is reread, a deleted one not listed', async () => {
    await w.text('src:#Store.put');
    w.write('src/lib/store.ts', `// one line more\n${STORE}`);
    expect(await w.text('src:#Store.put')).toContain('9|  put(');
    rmSync(join(w.W, 'src/lib/store.ts'));
    expect(codeOf(await w.read('src:#Store.put'))).toBe('NOT_FOUND');
  });

  test('other content with the same size and time is detected', async () => {
    const path = w.write('src/a.ts', 'export function aaa() {\n  return 1;\n}\n');
    utimesSync(path, 1000, 1000);
    await w.text('src:#aaa');
    w.write('src/a.ts', '//rt function bb() {\n}export function b(){}\n'.slice(0, 41).padEnd(41, ' '));
    utimesSync(path, 1000, 1000);
    expect(codeOf(await w.read('src:#aaa'))).toBe('NOT_FOUND');
  });
});

test('a name in another case, or a similar one, is found among many files that nobody parsed', async () => {
  w.write('src/options.ts', 'export interface Options {\n  maxRetries: number;\n}\n');
  for (let i = 0; i < 150; i += 1)
    w.write(`src/pad/p${i}.ts`, `export function pad${i}(): number {\n  return ${i};\n}\n`);
  expect(await w.text('src:#MAXRETRIES')).toContain('2|  maxRetries: number;');
  w.write('src/pad/more.ts', 'export interface More {\n  minDelay: number;\n}\n');
  const text = await w.text('src:#minDelai');
  expect(text).toBe("No code below src declares 'minDelai'. Did you mean minDelay? Use src:#minDelay.");
});

test('a name may end in a question mark', async () => {
  w.write('src/job.rb', 'class Job\n  def ready?\n    true\n  end\nend\n');
  for (const target of ['src:#ready?', 'src:#Job.ready?', 'src:#ready??from=1'])
    expect(await w.text(target)).toContain('2|  def ready?');
});

test('names and uses are found among many files, of which few are parsed', async () => {
  w.write(
    'src/quoted.js',
    "const table = {\n  'close door': () => 1,\n  'close'() {\n    return 2;\n  },\n};\n",
  );
  const all = ['close', 'CLOSE', 'Store#close', 'store.close', 'clsoe', 'close door'];
  const answers = async (): Promise<string[]> => {
    const texts: string[] = [];
    for (const name of all) texts.push(await w.text(`src:#${name}`));
    return texts;
  };
  for (let i = 0; i < 150; i += 1)
    w.write(`src/pad/p${i}.ts`, `export function pad${i}(): number {\n  return ${i};\n}\n`);
  const many = await answers();
  rmSync(join(w.W, 'src/pad'), { recursive: true });
  expect(await answers()).toEqual(many);
  expect(many[0]).toContain('src/lib/store.ts:#Store.close');
});

test('no uses in an unsupported language are reported as unknown', async () => {
  w.write('ios/a.swift', 'func parseThing(_ x: Int) -> Int { return x }\nfunc other() { parseThing(3) }\n');
  w.write('ios/b.pl', 'sub parse_line { 1 }\nparse_line();\n');
  w.write('ios/c.ts', 'export function typed() {}\n');
  const unknown = (extension: string): string =>
    `What ${extension} files use and import is not known. Use grep to search for the name`;
  expect(await w.text('ios:#parseThing:refs')).toBe(
    `[No use of 'parseThing' was found (declared: ios/a.swift:#parseThing). ${unknown('.swift')}]`,
  );
  expect(await w.text('ios:#parse_line:refs')).toContain(unknown('.pl'));
  expect(await w.text('ios/a.swift:refs')).toBe(
    `[No file below . imports ios/a.swift. ${unknown('.swift')}]`,
  );
  w.write('ios/d.json', '{}\n');
  expect(await w.text('ios/d.json:refs')).toBe('[No file below . imports ios/d.json]');
  expect(await w.text('ios:#typed:refs')).toBe("[No use of 'typed' was found (declared: ios/c.ts:#typed)]");
});

describe('names with control characters', () => {
  const body = (name: string): string => `export function ${name}() {\n  return 1;\n}\n`;
  const url = (path: string): string => pathToFileURL(join(w.W, path)).href;

  test('definitions, uses and importers name calls that work', { tags: 'slow' }, async () => {
    for (let i = 0; i < 6; i += 1) w.write(`odd/d\nl/${i}.ts`, body('same'));
    const first = `${url('odd/d\nl/0.ts')}:#same`;
    expect(await w.text('odd:#same')).toContain(`${first}  1-3  export function same()\n`);
    expect(await w.text(first)).toContain('1|export function same() {\n');
    w.write('odd/new\nline.ts', `import { used } from './used';\n${body('only')}used();\n`);
    w.write('odd/used.ts', `${body('used')}only();\n`);
    const line = url('odd/new\nline.ts');
    expect(await w.text('odd:#only')).toContain(`4|}\n[Declared in ${line}:2..4]`);
    expect(await w.text('odd:#only:refs')).toContain(`Declared: ${line}:#only]`);
    expect(await w.text('odd/used.ts:#used:refs')).toContain(`${line}\n  1|import`);
    expect(await w.text('odd/used.ts:refs')).toBe(`${line}\n[1 file imports odd/used.ts]`);
    expect(await w.text(`${line}:refs`)).toBe(`[No file below . imports ${line}]`);
  });

  test('are escaped in full definitions and in what find lists', async () => {
    w.write('odd/d\nl/0.ts', body('same'));
    w.write('odd/new\nline.ts', body('same'));
    const files = [url('odd/d\nl/0.ts'), url('odd/new\nline.ts')];
    const text = await w.text('odd:#same');
    const found = textOf(await w.oriel.tool('find').run({ symbol: 'same', path: 'odd' }));
    for (const file of files) {
      expect(text).toContain(`${file} [L1-3]\n1|export function same() {\n`);
      expect(text).toContain(`same (${file}:#same)`);
      expect(found).toContain(`${file}:#same  1-3  export function same()`);
    }
  });

  test('are escaped in the call for a map’s directory', { tags: 'slow' }, async () => {
    for (let i = 0; i < 60; i += 1) w.write(`odd/d\nl/${i}/file${i}.ts`, body(`made${i}`));
    const call = `${url('odd/d\nl')}:outline`;
    expect(await w.text('odd:outline?bytes=700')).toContain(`${call} for one directory`);
    expect(await w.text(call)).toContain('[60 files of file://');
  });
});

describe('uses and importers', () => {
  test('uses confirmed by imports come before those by name alone', async () => {
    expect(await w.text('src:#Store.close:refs')).toBe(
      [
        'src/main.ts',
        '  6|store.close(); [in main 3-7]',
        '',
        'By name alone:',
        'src/door.ts',
        '  3|door.close(); [in open 1-4]',
        "[2 uses of 'Store.close': 1 by imports and scope, 1 by name alone. Declared: src/lib/store.ts:#Store.close]",
      ].join('\n'),
    );
  });

  test('uses of a member include inherited and overriding members', async () => {
    w.write('shape/shape.ts', 'export interface Shape<T> {\n  area(of: T): number;\n}\n');
    w.write(
      'shape/round.ts',
      "import { Shape } from './shape';\nexport class Round implements Shape<number> {\n  area() {\n    return 3;\n  }\n}\n",
    );
    w.write(
      'shape/ball.ts',
      "import { Round } from './round';\nexport class Ball extends Round {\n  area() {\n    return super.area();\n  }\n}\n",
    );
    w.write(
      'shape/use.ts',
      "import { Shape } from './shape';\nexport const sum = (a: Shape<number>) => a.area(1);\n",
    );
    w.write('shape/field.ts', 'export class Field {\n  area() {}\n}\nnew Field().area();\n');
    for (const name of ['Ball', 'Round']) {
      const text = await w.text(`shape:#${name}.area:refs`);
      const [sure = '', others = ''] = text.split('By name alone:');
      for (const line of [
        'shape/shape.ts\n  2|area(of: T)',
        'shape/use.ts\n  2|export const sum',
        '  4|return super.area();',
      ])
        expect(sure, name).toContain(line);
      expect(others, name).toContain('shape/field.ts\n  4|new Field().area();');
      expect(others).toContain('5 uses of');
    }
  });

  test('a class of the same name in another file is another one', async () => {
    w.write('trie/a.ts', 'export class Node {\n  insert() {}\n  toString() {\n    return "";\n  }\n}\n');
    w.write('trie/b.ts', 'export class Node {\n  insert() {}\n}\n');
    w.write('trie/use.ts', "import { Node } from './a';\nnew Node().insert();\nString(1).toString();\n");
    w.write('trie/other.ts', "import { Node } from './b';\nnew Node().insert();\n");
    const [sure = '', others] = (await w.text('trie/a.ts:#Node.insert:refs')).split('By name alone:');
    expect(sure).toBe('trie/use.ts\n  2|new Node().insert();\n\n');
    expect(others).toContain('trie/other.ts\n  2|new Node().insert();');
    expect(await w.text('trie/a.ts:#Node.toString:refs')).toMatch(/^By name alone:\ntrie\/use\.ts\n {2}3\|/);
  });

  // The imported file declares its own.
  test('imports of another function of that name are not sure', async () => {
    w.write('same/a.ts', 'export function merge() {}\n');
    w.write('same/b.ts', "import { merge as first } from './a';\nexport function merge() {\n  first();\n}\n");
    w.write('same/c.ts', "import { merge } from './b';\nmerge();\n");
    const [sure = '', others = ''] = (await w.text('same/a.ts:#merge:refs')).split('By name alone:');
    expect(sure).not.toContain('same/c.ts');
    expect(others).toContain('same/c.ts\n');
  });

  test('of a file: its importers', async () => {
    expect(await w.text('src/lib/open.ts:refs')).toBe('src/lib/store.ts\n[1 file imports src/lib/open.ts]');
    expect(await w.text('src/main.ts:refs')).toBe('[No file below . imports src/main.ts]');
  });

  test('imports of a package by its own name are importers', async () => {
    w.write('shop/lexers/__init__.py', 'def find(name):\n    return name\n');
    w.write('shop/lexers/a.py', 'x = 1\n');
    w.write('shop/main.py', 'from shop.lexers import find\n\nfind(1)\n');
    for (const directory of ['shop', '.'])
      expect(await w.text(`${directory}:#find:refs`)).toBe(
        [
          'shop/main.py',
          '  1|from shop.lexers import find',
          '  3|find(1)',
          "[2 uses of 'find': 2 by imports and scope, 0 by name alone. Declared: shop/lexers/__init__.py:#find]",
        ].join('\n'),
      );
  });

  test('of a name in one file: only the declaration there', async () => {
    const text = await w.text('src/lib/open.ts:#open:refs');
    expect(text).toContain('src/lib/store.ts\n');
    expect(text).toContain('Declared: src/lib/open.ts:#open]');
  });

  test('more uses than fit are paged to the end', async () => {
    w.write('src/far.ts', `import { main } from './main.ts';\n${'main();\n'.repeat(150)}`);
    const first = await w.text('src:#main:refs');
    expect(first).toContain('Uses 1-100 of 151');
    const answer = await w.read('src:#main:refs');
    expect(nextOf(answer)).toBe('src:#main:refs?from=101');
    const next = /Use (\S+) to continue/.exec(first)?.[1] as string;
    expect(next).toBe('src:#main:refs?from=101');
    expect(await w.text(next)).toContain('Uses 101-151 of 151');
  });
});

describe('find with words', () => {
  const find = async (input: object): Promise<string> => textOf(await w.oriel.tool('find').run(input));

  test('lists matching symbols as calls, and one for the best', async () => {
    expect(await find({ symbol: 'store put value' })).toMatch(
      /^src\/lib\/store\.ts:#Store\.put {2}8-10 {2}put\(key: string, value: string\): void\n/,
    );
    const text = await find({ symbol: 'store', path: 'src' });
    const best = /Use read (\S+) for the best ones/.exec(text)?.[1] as string;
    expect(await w.text(best)).toContain('export class Store {');
  });

  test('the call for the best reads exactly these symbols', async () => {
    w.write('src/a.ts', 'export function parseHeader(head: string): string {\n  return head;\n}\n');
    w.write('src/b.ts', 'export function parseFooter(foot: string): string {\n  return foot;\n}\n');
    w.write('src/c.ts', 'export const other = { parseFooter(): void {\n  close();\n} };\n');
    const text = await find({ symbol: 'parse', path: 'src', limit: 2 });
    const calls = text.match(/^\S+(?= {2})/gm) ?? [];
    expect(calls).toHaveLength(2);
    const best = /Use read (\S+) for the best ones/.exec(text)?.[1];
    expect(best).toBe(calls.join(','));
    expect((await w.text(best as string)).match(/^==> .* <==$/gm)).toEqual(
      calls.map((one) => `==> ${one} <==`),
    );
  });

  test('pages by offset, and says when nothing was found', async () => {
    const first = await find({ symbol: 'open close', limit: 2 });
    expect(first).toContain('offset=2');
    const rest = await find({ symbol: 'open close', limit: 50, offset: 2 });
    const names = `${first}\n${rest}`.match(/^\S+:#?\S+(?= {2})/gm) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(3);
    expect(await find({ symbol: 'zebra' })).toBe('No symbols found');
  });

  test('reports the number of files whose symbols are incomplete', async () => {
    w.write('src/large.ts', `export const a = 1;\n${'// a comment of some length\n'.repeat(50_000)}`);
    for (const symbol of ['store put', 'zebra'])
      expect(await find({ symbol })).toContain(
        'Of 1 code file not all symbols are known: too large, too many symbols, or unreadable. Use grep to search them too',
      );
  });

  test('one of pattern and symbol', async () => {
    for (const input of [{}, { pattern: '*.ts', symbol: 'a b' }, { symbol: '--' }]) {
      expect(codeOf(await w.oriel.tool('find').run(input)), JSON.stringify(input)).toBe('BAD_INPUT');
    }
  });
});

test('nothing outside the roots is named', async () => {
  symlinkSync(w.O, join(w.W, 'src/out'));
  symlinkSync(join(w.O, 'secret.txt'), join(w.W, 'src/secret.ts'));
  expect(await w.text('src:outline')).not.toMatch(/out\/|secret/);
});
