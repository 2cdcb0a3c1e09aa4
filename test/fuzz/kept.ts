/** Inputs that long runs have kept, each because it reached code that none before it had: every later run begins with them. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const fileOf = (name: string): URL => new URL(`corpus/${name}.json`, import.meta.url);

export function keptInputs(name: string): string[] {
  const file = fileOf(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
}

/** Written as ASCII: the inputs are no text. */
export function keepInputs(name: string, inputs: readonly string[]): void {
  const written = JSON.stringify([...new Set(inputs)], null, 1).replaceAll(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(fileOf(name), `${written}\n`);
}
