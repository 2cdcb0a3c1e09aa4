/**
 * The shape of the code, read from its imports.
 *
 * @module-tag check
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

interface Import {
  readonly file: string;
  /** Relative imports as paths below src/, others as they are. */
  readonly of: string;
  readonly typeOnly: boolean;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join('src', file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)|^import '([^']+)'/gm,
  );
  return [...found].map(([, type, from, lazy, bare]) => {
    const of = from ?? lazy ?? bare ?? '';
    return {
      file,
      of: of.startsWith('.') ? normalize(join(dirname(file), of)) : of,
      typeOnly: type !== undefined,
    };
  });
});

const below =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`));

test('only some folders and workers reach files, network or processes', () => {
  const outside = /^node:(fs|fs\/promises|net|http|https|tls|dgram|child_process|worker_threads)$/;
  const allowed = (file: string): boolean =>
    below('files', 'process', 'network', 'session', 'telemetry', 'faces')(file) ||
    /-(worker|child)\.ts$/.test(file);
  expect(imports.filter(({ file, of, typeOnly }) => outside.test(of) && !typeOnly && !allowed(file))).toEqual(
    [],
  );
});

test('a server starts processes in these places', () => {
  const starters = imports.filter(
    ({ of, typeOnly }) => ['node:child_process', 'process/start.ts'].includes(of) && !typeOnly,
  );
  const places = new Set(starters.map(({ file }) => file).filter((file) => !below('faces')(file)));
  expect([...places].toSorted()).toEqual([
    'network/mcp-stdio.ts',
    'process/command.ts',
    'process/node-child.ts',
    'process/ripgrep.ts',
    'process/start.ts',
    'process/watchdog.ts',
  ]);
});

// Node aborts if a thread ends while it creates a handle.
test('threads create zlib handles in one way', () => {
  // The one way, and code that runs only in child processes.
  const allowed = [
    'formats/document/child/zip-parts.ts',
    'formats/document/convert-child.ts',
    'process/job-realm.ts',
    'process/worker-ending.ts',
  ];
  const direct = files.filter((file) => {
    const imported =
      /^import ([^;]*) from 'node:zlib'/m.exec(readFileSync(join('src', file), 'utf8'))?.[1] ?? '';
    // Functions by their names, or all of the module.
    return /Sync\b|^\*|^\w/.test(imported);
  });
  expect(direct.toSorted()).toEqual(allowed);
});

test('text/ is pure: it imports itself, queues, errors and identities', () => {
  const ours = imports.filter(({ file, typeOnly }) => below('text')(file) && !typeOnly);
  const pure = (of: string): boolean =>
    below('text', 'queues')(of) || ['errors.ts', 'identity.ts', 'node:buffer'].includes(of);
  expect(ours.filter(({ of }) => !pure(of))).toEqual([]);
});

test('render/ opens nothing', () => {
  const ours = imports.filter(({ file, typeOnly }) => below('render')(file) && !typeOnly);
  expect(
    ours.filter(({ of }) => below('files', 'process', 'network', 'session', 'formats', 'faces')(of)),
  ).toEqual([]);
});

/** From the lowest layer up: a file imports from its own layer and from lower ones, types included. */
const layers = [
  'errors.ts',
  'identity.ts',
  'types',
  'queues',
  'text',
  'files',
  'process',
  'network',
  'state',
  'telemetry',
  'session',
  'selector',
  'render',
  'git',
  'code',
  'formats',
  'walk',
  'target',
  'search',
  'call',
  'dialects',
  'options.ts',
  'assemble.ts',
  'oriel.ts',
  'index.ts',
  'window.ts',
  'faces',
];

test('ARCHITECTURE.md lists the layers in their order', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## Layers\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...text.matchAll(/^- ([^:]*):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([\w.-]+)\/?`/g)].map(([, name]) => name),
  );
  expect(listed).toEqual(layers);
});

const layerOf = (path: string): number => layers.indexOf(path.split('/')[0] as string);

test('every file is in a layer', () => {
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
});

test('every import points down, types included', () => {
  const upward = imports.filter(({ file, of }) => files.includes(of) && layerOf(of) > layerOf(file));
  expect(upward).toEqual([]);
});

test('there are no import cycles, of types either', () => {
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[][] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      circles.push([...way.slice(way.indexOf(file)), file]);
      return;
    }
    state.set(file, 'open');
    for (const { of } of imports.filter((one) => one.file === file && files.includes(one.of))) {
      visit(of, [...way, file]);
    }
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('types/ holds types only', () => {
  const values = files
    .filter(below('types'))
    .filter((file) =>
      /^(?:export )?(?:const|let|function|class|enum)\b/m.test(readFileSync(join('src', file), 'utf8')),
    );
  expect(values).toEqual([]);
});

test('every imported package is declared, and every declared one imported', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >;
  const declared = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
    Object.keys(manifest[field] ?? {}),
  );
  const used = new Set(
    imports
      .map(({ of }) => of)
      .filter((of) => of !== '' && !of.startsWith('node:') && !files.includes(of))
      .map((of) =>
        of
          .split('/')
          .slice(0, of.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  );
  // ripgrep is run, not imported.
  used.add('@vscode/ripgrep');
  // The build bundles the others, in one version.
  const bundled = Object.entries(manifest['devDependencies'] ?? {}).filter(
    ([name]) => used.has(name) && !declared.includes(name),
  );
  expect(bundled.filter(([, version]) => !/^\d/.test(version))).toEqual([]);
  expect([...used].toSorted()).toEqual([...declared, ...bundled.map(([name]) => name)].toSorted());
});

/** From the bracket at `start` to the one that closes it. */
function bracketed(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if ('({'.includes(text.charAt(at))) depth += 1;
    if (')}'.includes(text.charAt(at))) depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

test('an error thrown for another one keeps it as cause', () => {
  const bare = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    return [...text.matchAll(/\bcatch (?:\(\w+\) )?\{|\.catch\(/g)]
      .map((found) => bracketed(text, found.index + found[0].length - 1))
      .filter((block) => /new OrielError\(/.test(block) && !/\bcause\b/.test(block))
      .map((block) => `${file}: ${block}`);
  });
  expect(bare).toEqual([]);
});

test('every file says in its head what it is for', () => {
  const silent = files.filter(
    (file) => !/^(#!.*\n)?\/\*\*[\s\S]*?\*\//.test(readFileSync(join('src', file), 'utf8')),
  );
  expect(silent).toEqual([]);
});
