/** Vitest's global setup in mutation tests: it uses the build that `mutation.mjs` made, because Stryker starts vitest often. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { missingPrograms } from '../test/support/programs.ts';

export function setup(project: TestProject): void {
  const build = process.env['ORIEL_MUTATION_BUILD'] as string;
  // To look for the programs takes seconds, so that is done once.
  const looked = join(build, 'missing-programs.json');
  if (!existsSync(looked)) writeFileSync(looked, JSON.stringify(missingPrograms().map(({ name }) => name)));
  project.provide('missingPrograms', JSON.parse(readFileSync(looked, 'utf8')) as string[]);
  project.provide('builtPackage', pathToFileURL(`${build}/`).href);
}
