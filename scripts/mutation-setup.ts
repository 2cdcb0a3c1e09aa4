/** Loads what mutation tests change, before the tests: else what runs while a module loads counts for the one test that loads it. */

import { resolve } from 'node:path';

const keys = JSON.parse(process.env['ORIEL_MUTATION_SAMPLE'] ?? '[]') as string[];
const files = new Set(keys.map((key) => (JSON.parse(key) as [file: string])[0]));

// The entries of threads and children would begin to work.
for (const file of files)
  if (/^formats\/.*(?<!worker|child)\.ts$/.test(file)) await import(resolve('src', file));
