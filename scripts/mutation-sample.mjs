// A checker for Stryker, with which `mutation.mjs --sample N` tries N mutants of each file: all others that tests reach fail the
// check, so they are not run. Mutants that no test reaches pass, because Stryker does not run those either.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';

const LEFT_OUT = 'Not in the sample';

function sample() {
  const chosen = new Set();
  return {
    async init() {},
    /** Stryker calls it once, with all mutants but those in code that runs at module load. */
    async group(mutants) {
      for (const file of new Set(mutants.map(({ fileName }) => fileName))) {
        const reached = mutants.filter(
          ({ fileName, coveredBy }) => fileName === file && coveredBy?.length > 0,
        );
        for (const { id } of shuffled(reached).slice(0, Number(process.env.ORIEL_MUTATION_SAMPLE)))
          chosen.add(id);
      }
      return [mutants.map(({ id }) => id)];
    },
    async check(mutants) {
      const result = ({ id, coveredBy }) =>
        chosen.has(id) || !(coveredBy?.length > 0)
          ? { status: 'passed' }
          : { status: 'compileError', reason: LEFT_OUT };
      return Object.fromEntries(mutants.map((mutant) => [mutant.id, result(mutant)]));
    },
  };
}

/** In the order of a digest of file, place and change: random, but the same in each run. */
function shuffled(mutants) {
  const key = ({ fileName, location, mutatorName, replacement }) =>
    createHash('sha256')
      .update(JSON.stringify([relative('', fileName), location, mutatorName, replacement]))
      .digest('hex');
  const keyed = mutants.map((mutant) => ({ ...mutant, key: key(mutant) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * The share of all mutants of a report that tests notice, as estimated from the sample, and half the width of the 95 % interval,
 * both in percent. The sample is stratified: the share of a file counts with the number of its mutants that tests reach, and what they do
 * not reach is known. The variance of a file is that of a sample without replacement. It is computed from (noticed + 1) / (tried + 2),
 * because a file in which all of ten mutants are noticed may have others.
 */
export function estimate(mutants) {
  const all = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'RuntimeError');
  let noticed = 0;
  let variance = 0;
  for (const file of new Set(all.map((mutant) => mutant.file))) {
    const reached = all.filter((mutant) => mutant.file === file && mutant.status !== 'NoCoverage');
    const tried = reached.filter(({ status }) => status !== 'CompileError');
    if (tried.length === 0) continue;
    const killed = tried.filter(({ status }) => status !== 'Survived').length;
    const share = (killed + 1) / (tried.length + 2);
    noticed += (reached.length * killed) / tried.length;
    variance +=
      (reached.length ** 2 * (1 - tried.length / reached.length) * share * (1 - share)) / (tried.length + 1);
  }
  return { score: (100 * noticed) / all.length, margin: (196 * Math.sqrt(variance)) / all.length };
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: sample }];
