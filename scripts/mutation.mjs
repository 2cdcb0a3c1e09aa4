// npm run mutation [-- [--again | --sample N [--seed S]] DIRECTORY… | FILE…]: mutation testing of the code below `src`. Lists the
// mutants that no fast test kills; full reports are in .bench/mutation/. All directories take hours, so it is not part of `npm test`.
// With --sample N, N mutants of each directory named are tried, chosen by the seed, which is printed: minutes. With --again, only the
// mutants that no test killed in the last run (with the same sample and seed) are tried, with the tests as they are now; the code
// must be unchanged. Documents and pages are converted in the process of the tests (`mutation-children.ts`). Of other code, what they
// do not notice there is tried once more with the build changed, too, which their children and threads load.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { instrumented, keyOf, marginOf, sampleOf } from './mutation-sample.mjs';

/** Pure and fast ones first. */
const DIRECTORIES = ['selector', 'render', 'text', 'files', 'process', 'network', 'session', 'formats'];

/** Tests elsewhere that ask for every kind of input. */
const ALSO = { formats: ['test/contract/*.test.ts', 'test/search/inside-*.test.ts'] };

/** Generated files. */
const MADE = ['text/scan-wasm.ts'];

/** Where changed code looks for the id of the change that is on. */
const ACTIVE = /[\w$]+\.process\.env\.__STRYKER_ACTIVE_MUTANT__/g;

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string' },
  },
});
const { again, sample, seed = `${Date.now() % 1e6}` } = values;
if (sample !== undefined && !(Number(sample) >= 1)) {
  console.error('--sample takes the number of mutants to try in each directory.');
  process.exit(2);
}
const wanted = named.length > 0 ? named : DIRECTORIES;
const unknown = wanted.filter((path) => !existsSync(join('src', path)));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')} in src. Use one of ${DIRECTORIES.join(', ')}.`);
  process.exit(2);
}

// Only here it is needed; the project stays as it is.
const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];
if (!existsSync('node_modules/@stryker-mutator/vitest-runner'))
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...STRYKER], {
    stdio: 'inherit',
  });
const { Stryker } = await import('@stryker-mutator/core');

mkdirSync('.bench/mutation', { recursive: true });
// One build for all runs: Stryker starts vitest again after each timeout.
const build = resolve('.bench/mutation-build');
rmSync(build, { recursive: true, force: true });
execFileSync(process.execPath, ['scripts/build.mjs', build], { stdio: 'inherit' });
process.env.ORIEL_TEST_BUILD = build;
const began = performance.now();
const results = [];
for (const unit of sample ? await samplesOf(wanted) : unitsOf(wanted.flatMap(filesBelow)))
  results.push(...(await mutate(unit)));
const isBelow = (path) => (mutant) => `${mutant.file}/`.startsWith(`src/${path}/`);
console.table(wanted.map((path) => rowOf(path, results.filter(isBelow(path)))));
console.log(`${((performance.now() - began) / 60_000).toFixed(1)} minutes`);

/** The runs: files to mutate, and their tests. */
function unitsOf(files) {
  const units = new Map();
  for (const file of files) {
    const tests = JSON.stringify(testsOf(file));
    units.set(tests, [...(units.get(tests) ?? []), file]);
  }
  return Array.from(units, ([tests, together]) => ({
    name: together.length === 1 ? together[0] : `${together[0]} and ${together.length - 1} more`,
    ranges: together.map((file) => `src/${file}`),
    tests: JSON.parse(tests),
  }));
}

function filesBelow(path) {
  if (statSync(join('src', path)).isFile()) return [path];
  return readdirSync(join('src', path), { recursive: true })
    .map((name) => `${path}/${name}`)
    .filter((name) => name.endsWith('.ts') && !MADE.includes(name))
    .toSorted();
}

/** A run for each directory or file: its sample, the tests of its room, and those that import what is in the sample. */
async function samplesOf(paths) {
  const units = [];
  for (const path of paths) {
    const { all, chosen } = await sampleOf(
      filesBelow(path).map((file) => `src/${file}`),
      Number(sample),
      seed,
    );
    console.log(`${path}: ${chosen.length} of ${all} mutants, --seed ${seed}`);
    const files = [...new Set(chosen.map(({ file }) => file.slice('src/'.length)))];
    const [room] = path.split('/');
    const tests = new Set([`test/${room}/**/*.test.ts`, ...(ALSO[room] ?? []), ...files.flatMap(testsOf)]);
    units.push({
      name: `${path}, sample`,
      ranges: chosen.map(rangeOf),
      keys: chosen.map(({ key }) => key),
      tests: [...tests],
    });
  }
  return units;
}

/** The tests that import the file and are not slow; those of its directory if there is none. */
function testsOf(file) {
  const tests = readdirSync('test', { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path))
    .filter((path) => {
      const text = readFileSync(path, 'utf8');
      return text.includes(`/src/${file}'`) && !text.includes('* @module-tag slow');
    });
  return tests.length > 0 ? tests : [`test/${dirname(file)}/*.test.ts`];
}

/** The mutants of the unit, as in the report. */
async function mutate({ name, ranges, keys, tests }) {
  const id = name.replaceAll(/[/ ,]+/g, '-');
  const report = `.bench/mutation/${id}.json`;
  process.env.ORIEL_MUTATION_TESTS = JSON.stringify(tests);
  process.env.ORIEL_MUTATION_SAMPLE = JSON.stringify(keys ?? []);
  const checkers = keys ? ['sample'] : [];
  try {
    const last = again && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
    let found = last ? await retry(id, last, isMissed, checkers) : await run(id, ranges, checkers);
    if (keys) keepOnly(found, new Set(keys));
    for (let tries = 0; tries < 3; tries += 1) found = await retry(id, found, isUnfinished, checkers);
    for (const mutant of mutantsOf(found).filter(isUnfinished)) mutant.entry.status = 'CompileError';
    writeFileSync(report, JSON.stringify(found));
    await retryBuilt(mutantsOf(found).filter((mutant) => isMissed(mutant) && !isConverted(mutant)));
    writeFileSync(report, JSON.stringify(found));
    return mutantsOf(found);
  } catch (error) {
    console.log(`${name} was not tried: ${error.message}`);
    return [];
  }
}

/** Without the changes inside the chosen ones. */
function keepOnly(report, keys) {
  for (const [fileName, file] of Object.entries(report.files))
    file.mutants = file.mutants.filter((mutant) => keys.has(keyOf({ ...mutant, fileName })));
}

/** The report with new results of the mutants that `which` selects. */
async function retry(id, report, which, checkers) {
  const ranges = mutantsOf(report).filter(which).map(rangeOf);
  return ranges.length === 0 ? report : merge(report, await run(id, ranges, checkers), which);
}

async function run(id, ranges, checkers) {
  const temporary = `.bench/stryker-${id}`;
  const fresh = `${temporary}.json`;
  const stryker = new Stryker({
    mutate: ranges,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation-sample.mjs'],
    checkers,
    vitest: { configFile: 'scripts/mutation.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Long, because after a timeout vitest is started again, and on a busy machine its first run takes many seconds: another
    // timeout, which would count as if a test had failed.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 60,
    // Mutants in code that runs at module load would need all tests again.
    ignoreStatic: true,
    // Stryker adjusts it through an API that TypeScript 7 does not have; vitest does not use it.
    tsconfigFile: 'none',
    ignorePatterns: ['.bench', '.build', 'dist'],
    tempDirName: temporary,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: fresh },
    allowConsoleColors: false,
    logLevel: 'warn',
  });
  try {
    await stryker.runMutationTest();
    return JSON.parse(readFileSync(fresh, 'utf8'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(fresh, { force: true });
  }
}

/** Tries them with the build changed, too. */
async function retryBuilt(missed) {
  if (missed.length === 0) return;
  const sandbox = resolve('.bench/mutation-sandbox');
  const changedBuild = join(sandbox, '.build/changed');
  rmSync(sandbox, { recursive: true, force: true });
  mkdirSync(sandbox);
  for (const name of readdirSync('.'))
    if (!['.bench', '.build', '.git', 'dist', 'node_modules'].includes(name))
      cpSync(name, join(sandbox, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(sandbox, 'node_modules'));
  // Only these changes are in the code, because each makes it slower.
  const { sources, mutants } = await instrumented([...new Set(missed.map(({ file }) => file))], (name) =>
    missed.filter(({ file }) => file === name).map(placeOf),
  );
  for (const { file, content } of sources) writeFileSync(join(sandbox, file), content);
  execFileSync(process.execPath, ['scripts/build.mjs', changedBuild], { cwd: sandbox, stdio: 'inherit' });
  const ids = new Map(mutants.map(({ key, id }) => [key, id]));
  const scripts = readdirSync(changedBuild, { recursive: true })
    .filter((name) => name.endsWith('js'))
    .map((name) => join(changedBuild, name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => text.includes('__STRYKER_ACTIVE_MUTANT__'));
  const seconds = new Map();
  for (const { entry, file, ...mutant } of missed) {
    const tests = [...new Set([...testsOf(file.slice('src/'.length)), mirrorOf(file)])].filter(
      (path) => !path.includes('*'),
    );
    const key = tests.join(' ');
    // Children end with what is in their environment, but most have none: they find the id in their code.
    const change = (id) => {
      for (const { path, text } of scripts) writeFileSync(path, text.replaceAll(ACTIVE, JSON.stringify(id)));
      return { ...process.env, ORIEL_TEST_BUILD: changedBuild, __STRYKER_ACTIVE_MUTANT__: id };
    };
    if (!seconds.has(key)) {
      const began = performance.now();
      const isPassed = (await runTests(tests, sandbox, change(''), 600)) === 0;
      seconds.set(key, isPassed ? (performance.now() - began) / 1_000 : undefined);
      if (!isPassed) console.log(`Without a change these fail in the sandbox: ${key}`);
    }
    const usual = seconds.get(key);
    if (usual === undefined) continue;
    const id = ids.get(keyOf({ ...mutant, fileName: file }));
    const code = await runTests(tests, sandbox, change(id), 60 + 5 * usual);
    if (code !== 0) entry.status = code === undefined ? 'Timeout' : 'Killed';
    console.log(`${file}:${mutant.location.start.line} ${mutant.mutatorName}: ${entry.status}`);
  }
  rmSync(sandbox, { recursive: true, force: true });
}

/** The exit code of the tests, or undefined if they took longer than these seconds. */
async function runTests(tests, cwd, env, limit) {
  const tier = ['--project', 'fast', '--project', 'mocks', '--tags-filter', '!slow'];
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...tier,
    '--bail',
    '1',
    '--reporter',
    'dot',
    ...tests,
  ];
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit * 1_000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return code ?? undefined;
}

/** The directory of tests that is nearest to this file, and the file of that name beside it. */
function mirrorOf(file) {
  let directory = dirname(file).replace(/^src/, 'test');
  while (!existsSync(directory)) directory = dirname(directory);
  return directory;
}

function mutantsOf(report) {
  return Object.entries(report.files).flatMap(([file, { mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, entry: mutant })),
  );
}

function isMissed({ status }) {
  return status === 'Survived' || status === 'NoCoverage';
}

/** Whether tests run it in their own process only: what converts (`mutation-children.ts`), and what of formats is in no thread. */
function isConverted({ file, status }) {
  if (/^src\/formats\/\w+\/child\//.test(file)) return true;
  return status === 'Survived' && /^src\/formats\/(?!data|git|sqlite)/.test(file);
}

/** On a busy machine vitest sometimes runs none of the tests that reach a mutant. Stryker then reports that it survived. */
function isUnfinished({ status, coveredBy, testsCompleted }) {
  return status === 'Survived' && testsCompleted < coveredBy?.length;
}

/** Stryker's notation for a range: lines from 1, columns from 0. In a report both are from 1. */
function rangeOf({ file, location: { start, end } }) {
  return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

/** As the instrumenter takes it: lines and columns from 0. */
function placeOf({ location: { start, end } }) {
  const fromZero = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  return { start: fromZero(start), end: fromZero(end) };
}

/** The last report, with the new results of the mutants that were tried again. */
function merge(last, found, which) {
  const key = ({ file, location, mutatorName, replacement }) =>
    JSON.stringify([file, location.start, location.end, mutatorName, replacement]);
  const now = new Map(mutantsOf(found).map((mutant) => [key(mutant), mutant.entry]));
  for (const mutant of mutantsOf(last).filter(which)) {
    const { status, coveredBy, testsCompleted } = now.get(key(mutant)) ?? mutant.entry;
    Object.assign(mutant.entry, { status, coveredBy, testsCompleted });
  }
  return last;
}

function rowOf(path, results) {
  const of = (...states) => results.filter(({ status }) => states.includes(status));
  const missed = results.filter(isMissed);
  for (const { file, location, mutatorName, replacement, status } of missed) {
    const { line, column } = location.start;
    const change = replacement?.replaceAll(/\s+/g, ' ').slice(0, 100);
    console.log(`${status} ${file}:${line}:${column} ${mutatorName} → ${change}`);
  }
  const noticed = of('Killed', 'Timeout').length;
  const tried = noticed + missed.length;
  const margin = sample ? ` ± ${marginOf(noticed, tried).toFixed(1)}` : '';
  return {
    code: path,
    changes: tried,
    'a test fails': of('Killed').length,
    'no end': of('Timeout').length,
    unnoticed: of('Survived').length,
    'not reached': of('NoCoverage').length,
    'not tried': of('CompileError', 'RuntimeError', 'Ignored').length,
    score: `${((100 * noticed) / tried).toFixed(1)}${margin} %`,
  };
}
