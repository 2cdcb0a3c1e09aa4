// Definitions, uses and importers in a TypeScript tree, compared with those of the TypeScript compiler; definitions in Python's
// own library, compared with those of its `ast`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { createOriel } from '../dist/index.js';
import { peer } from './lib/peers.mjs';
import { sized } from './lib/quick.mjs';

/** Number of symbols and files that are queried, spread over the tree. */
const asked = sized(300, 30);

export async function rows() {
  return [...(await besideTypeScript()), ...(await besidePython())];
}

async function besideTypeScript() {
  const home = peer('typescript', '5.9.3');
  if (home === undefined)
    return [{ tree: 'the TypeScript compiler is not here; run it without --quick once' }];
  const ts = createRequire(import.meta.url)(home);
  const trees = [['src of this project', resolve('src')]];
  const rxjs = peer('rxjs', '7.8.2');
  if (rxjs !== undefined) trees.push(['rxjs', join(rxjs, 'src/internal')]);
  const table = [];
  for (const [tree, directory] of trees) table.push(...(await beside(ts, tree, directory)));
  return table;
}

/** Prints a line for each function and class: path, qualified name, the line of its name. */
const PYTHON = `
import ast, os
for root, _, files in os.walk('.'):
    for path in (os.path.join(root, file)[2:] for file in files if file.endswith('.py')):
        def visit(node, around):
            for one in ast.iter_child_nodes(node):
                is_named = isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                inner = around + [one.name] if is_named else around
                if is_named: print(path, '.'.join(inner), one.lineno)
                visit(one, inner)
        visit(ast.parse(open(path, encoding='utf8').read()), [])
`;

async function besidePython() {
  const place = 'import asyncio; print(asyncio.__path__[0])';
  const directory = spawnSync('python3', ['-c', place]).stdout?.toString().trim();
  if (!directory) return [{ tree: 'python3 is not here' }];
  const { stdout } = spawnSync('python3', ['-c', PYTHON], { cwd: directory, maxBuffer: 1 << 28 });
  const named = new Map();
  for (const [path, name, line] of stdout
    .toString()
    .split('\n')
    .map((one) => one.split(' ')))
    if (name) named.set(name, [...(named.get(name) ?? []), `${path}:${line}`]);
  const oriel = open(directory);
  const score = new Score();
  const names = spread([...named.keys()], asked);
  for (const name of names) score.add(await definedAt(oriel, directory, name), new Set(named.get(name)));
  await oriel.close();
  return [{ tree: 'asyncio of Python', asked: 'definitions', of: names.length, ...score.figures() }];
}

function open(directory) {
  const limits = { lines: 100_000, bytes: 4_000_000 };
  return createOriel({ cwd: directory, roots: [directory], cache: false, limits });
}

async function beside(ts, tree, directory) {
  const paths = readdirSync(directory, { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(directory, path));
  const service = serviceOf(ts, directory, paths);
  const oriel = open(directory);
  const all = declared(ts, service, directory, paths);
  const symbols = spread(
    all.filter(({ isBare }) => !isBare),
    asked,
  );
  const [definitions, sure, listed, importers] = [new Score(), new Score(), new Score(), new Score()];
  const named = new Map();
  for (const one of all) {
    const list = named.get(one.qualified) ?? [];
    named.set(one.qualified, [...list, `${one.path}:${one.line}`]);
  }
  for (const { path, qualified, position } of symbols) {
    definitions.add(await definedAt(oriel, directory, qualified), new Set(named.get(qualified)));
    const truth = usedAt(ts, service, directory, path, position);
    for (const place of named.get(qualified)) truth.delete(place);
    const found = await usesIn(oriel, `${path}:#${qualified}:refs`);
    sure.add(found.sure, truth);
    listed.add(new Set([...found.sure, ...found.others]), truth);
  }
  const truth = importersOf(ts, service, directory, paths);
  for (const path of spread(
    paths.map((one) => relative(directory, one)),
    asked,
  )) {
    importers.add(await importing(oriel, path), truth.get(path) ?? new Set());
  }
  await oriel.close();
  return [
    { tree, asked: 'definitions', of: symbols.length, ...definitions.figures() },
    { tree, asked: 'uses, by imports and scope', of: symbols.length, ...sure.figures() },
    { tree, asked: 'uses, all that are listed', of: symbols.length, ...listed.figures() },
    { tree, asked: 'importers', of: Math.min(asked, paths.length), ...importers.figures() },
  ];
}

class Score {
  #hits = 0;
  #found = 0;
  #true = 0;

  add(found, truth) {
    this.#hits += [...found].filter((one) => truth.has(one)).length;
    this.#found += found.size;
    this.#true += truth.size;
  }

  figures() {
    const [precision, recall] = [this.#hits / Math.max(1, this.#found), this.#hits / Math.max(1, this.#true)];
    const f1 = (2 * precision * recall) / Math.max(1e-9, precision + recall);
    return { precision: precision.toFixed(3), recall: recall.toFixed(3), F1: f1.toFixed(3) };
  }
}

function serviceOf(ts, directory, paths) {
  const texts = new Map();
  return ts.createLanguageService({
    getCompilationSettings: () => ({
      allowImportingTsExtensions: true,
      noEmit: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ESNext,
      types: [],
    }),
    getScriptFileNames: () => paths,
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      if (!texts.has(path)) texts.set(path, ts.sys.fileExists(path) ? readFileSync(path, 'utf8') : undefined);
      const text = texts.get(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => directory,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
}

/** Functions, classes, interfaces, types, enums and methods at the top of a file or in a class, with a body or a type. */
function declared(ts, service, directory, paths) {
  const found = [];
  for (const path of paths) {
    const file = service.getProgram().getSourceFile(path);
    const visit = (node, around) => {
      const isDeclared =
        ts.isFunctionDeclaration(node) ||
        ts.isClassDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isEnumDeclaration(node) ||
        ts.isMethodDeclaration(node);
      // Overloads are covered by the declaration with a body.
      const isBare = (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && !node.body;
      if (isDeclared && node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) {
        const qualified = [...around, node.name.text].join('.');
        const position = node.name.getStart(file);
        const line = file.getLineAndCharacterOfPosition(position).line + 1;
        found.push({ path: relative(directory, path), qualified, position, line, isBare });
      }
      if (ts.isSourceFile(node)) ts.forEachChild(node, (child) => visit(child, around));
      if (ts.isClassDeclaration(node) && node.name)
        for (const member of node.members) visit(member, [...around, node.name.text]);
    };
    visit(file, []);
  }
  return found;
}

function spread(list, most) {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(most, list.length) }, (_, i) => list[Math.floor(i * step)]);
}

/** A name in a comment does not count as a use. */
function isInComment(ts, file, position) {
  let node = file;
  for (let inner = file; inner; inner = ts.forEachChild(node, (one) => holds(one, position))) node = inner;
  return position < node.getStart(file, false);
}

const holds = (node, position) => (node.pos <= position && position < node.end ? node : undefined);

/** `path:line` of each use, without declarations and comments. */
function usedAt(ts, service, directory, path, position) {
  const program = service.getProgram();
  const found = service.findReferences(join(directory, path), position) ?? [];
  return new Set(
    found.flatMap(({ references }) =>
      references.flatMap(({ fileName, textSpan, isDefinition }) => {
        const file = program.getSourceFile(fileName);
        if (isDefinition || !fileName.startsWith(directory)) return [];
        if (isInComment(ts, file, textSpan.start)) return [];
        return [
          `${relative(directory, fileName)}:${file.getLineAndCharacterOfPosition(textSpan.start).line + 1}`,
        ];
      }),
    ),
  );
}

async function read(oriel, path) {
  const { content, isError } = await oriel.tool('read').run({ path });
  return isError ? '' : content[0].text;
}

/** The declarations of a name as `path:line`; the name is on the first lines of the range. */
async function definedAt(oriel, directory, qualified) {
  const text = await read(oriel, `.:#${qualified}`);
  const places = [
    ...text.matchAll(/^\[Declared in (\S+):(\d+)\.\.(\d+)\]/gm),
    ...text.matchAll(/^(\S+) \[L(\d+)(?:-(\d+))?\]$/gm),
    ...text.matchAll(/^(\S+?):#?\S+ {2}(\d+)(?:-(\d+))? {2}/gm),
  ];
  const name = qualified.split('.').at(-1);
  return new Set(
    places.map(
      ([, path, from, to = from]) => `${path}:${lineOf(directory, path, name, Number(from), Number(to))}`,
    ),
  );
}

const linesOf = new Map();

function lineOf(directory, path, name, from, to) {
  const file = resolve(directory, path);
  if (!linesOf.has(file)) linesOf.set(file, readFileSync(file, 'utf8').split('\n'));
  const lines = linesOf.get(file);
  for (let no = from; no <= to; no += 1)
    if (
      new RegExp(`(^|[^\\w$])#?${name.replace(/[$#]/g, '')}($|[^\\w$])`).test(lines[no - 1]) &&
      !/^\s*(\/\/|\*|\/\*)/.test(lines[no - 1])
    )
      return no;
  return from;
}

async function* pagesOf(oriel, target) {
  for (let next = target; next !== undefined;) {
    const text = await read(oriel, next);
    yield text;
    next = /^\[.*Use (\S+) to continue\]$/m.exec(text)?.[1];
  }
}

/** The sure uses and the others, over all pages. */
async function usesIn(oriel, target) {
  const [sure, others] = [new Set(), new Set()];
  for await (const text of pagesOf(oriel, target)) {
    let [path, into] = ['', sure];
    for (const line of text.split('\n')) {
      const no = /^ {2}(\d+)\|/.exec(line)?.[1];
      if (line === 'By name alone:') into = others;
      else if (no !== undefined) into.add(`${path}:${no}`);
      else if (/^\S+$/.test(line)) path = line;
    }
  }
  return { sure, others };
}

async function importing(oriel, path) {
  const found = new Set();
  for await (const text of pagesOf(oriel, `${path}:refs`))
    for (const line of text.split('\n')) if (/^[^\s[]\S*$/.test(line)) found.add(line);
  return found;
}

function importersOf(ts, service, directory, paths) {
  const found = new Map();
  const program = service.getProgram();
  for (const path of paths) {
    const { imports } = program.getSourceFile(path);
    for (const { text } of imports) {
      const { resolvedModule } = ts.resolveModuleName(text, path, program.getCompilerOptions(), ts.sys);
      const target = resolvedModule?.resolvedFileName;
      if (!target?.startsWith(directory) || target === path) continue;
      const key = relative(directory, target);
      found.set(key, (found.get(key) ?? new Set()).add(relative(directory, path)));
    }
  }
  return found;
}
