// The sample of `mutation.mjs --sample N`: N of all changes that Stryker makes to some files, chosen by seed, and the checker for
// Stryker that leaves out the changes inside them which were not chosen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** How many changes there are, and those chosen, each with its key. */
export async function sampleOf(files, size, seed) {
  const { mutants } = await instrumented(files);
  const orderOf = ({ key }) => createHash('sha256').update(`${seed} ${key}`).digest('hex');
  const ordered = mutants.map((mutant) => ({ ...mutant, order: orderOf(mutant) }));
  return {
    all: mutants.length,
    chosen: ordered.toSorted((a, b) => (a.order < b.order ? -1 : 1)).slice(0, size),
  };
}

/**
 * The files with all changes in them, or those in `placesOf` a file, of which one at a time can be switched on by its id, and
 * the changes.
 */
export async function instrumented(files, placesOf = () => true) {
  const { Instrumenter } = await import('@stryker-mutator/instrumenter');
  const logger = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  const sources = files.map((name) => ({
    name: resolve(name),
    content: readFileSync(name, 'utf8'),
    mutate: placesOf(name),
  }));
  const { files: changed, mutants } = await new Instrumenter(logger).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
    noHeader: false,
  });
  return {
    sources: changed.map(({ name, content }) => ({ file: relative('', name), content })),
    mutants: mutants.map(({ id, location: { start, end }, ...mutant }) => {
      const location = { start: fromOne(start), end: fromOne(end) };
      return { id, file: relative('', mutant.fileName), location, key: keyOf({ ...mutant, location }) };
    }),
  };
}

/** As in reports; the instrumenter and checkers have lines and columns from 0. */
function fromOne({ line, column }) {
  return { line: line + 1, column: column + 1 };
}

/** How sure a share of a sample is: half the width of its 95 % interval, in percent. */
export function marginOf(noticed, tried) {
  const share = (noticed + 1) / (tried + 2);
  return 196 * Math.sqrt((share * (1 - share)) / (tried + 2));
}

/** Of a change as it is in a report: lines and columns from 1. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const place = [start.line, start.column, end.line, end.column];
  return JSON.stringify([fileName.split(/(?:^|\/)src\//).at(-1), ...place, mutatorName, replacement]);
}

function sample() {
  const chosen = new Set(JSON.parse(process.env.ORIEL_MUTATION_SAMPLE));
  return {
    async init() {},
    async group(mutants) {
      return [mutants.map(({ id }) => id)];
    },
    async check(mutants) {
      const result = ({ location: { start, end }, ...mutant }) =>
        chosen.has(keyOf({ ...mutant, location: { start: fromOne(start), end: fromOne(end) } }))
          ? { status: 'passed' }
          : { status: 'compileError', reason: 'Not in the sample' };
      return Object.fromEntries(mutants.map((mutant) => [mutant.id, result(mutant)]));
    },
  };
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: sample }];
