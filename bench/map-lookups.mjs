// Fifteen public lookups on three trees: the cost of finding symbols by words and reading the source of the best three.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOriel } from '../dist/index.js';
import { lookupTrees } from './lib/code-trees.mjs';
import { tokenCounter } from './lib/peers.mjs';

/** Source: the public token benchmark of jCodeMunch, whose own figures are 23,467 and 664,975 tokens. */
const lookups = ['router route handler', 'middleware', 'error exception', 'request response', 'context bind'];

/** Number of hits whose source is read. */
const SHOWN = 3;

export async function rows() {
  const trees = lookupTrees();
  if (trees.length < 3)
    return [{ reader: 'express, fastapi and gin are not here; run it without --quick once' }];
  const tokensOf = await tokenCounter();
  const sums = new Map();
  const add = (reader, calls, texts) => {
    const sum = sums.get(reader) ?? { calls: 0, tokens: 0 };
    sums.set(reader, sum);
    sum.calls += calls;
    sum.tokens += texts.reduce((total, text) => total + tokensOf(text), 0);
  };
  for (const [, directory] of trees) {
    const oriel = createOriel({ cwd: directory, roots: [directory], cache: false });
    for (const words of lookups) {
      const found = await textOf(oriel, 'find', { symbol: words, limit: SHOWN });
      const best = /Use read (\S+) for the best ones/.exec(found)?.[1] ?? /^(\S+) {2}/.exec(found)?.[1];
      const source = best === undefined ? [] : [await textOf(oriel, 'read', { path: best })];
      add('oriel: find, then the best three', 1 + source.length, [found, ...source]);
      const files = grepped(directory, words);
      add('grep -rl, then each file', 1 + files.length, [
        files.join('\n'),
        ...files.map((path) => readFileSync(join(directory, path), 'utf8')),
      ]);
    }
    await oriel.close();
  }
  return [...sums].map(([reader, { calls, tokens }]) => ({
    reader,
    lookups: lookups.length * trees.length,
    calls,
    tokens: tokens.toLocaleString('en'),
  }));
}

async function textOf(oriel, tool, input) {
  const { content } = await oriel.tool(tool).run(input);
  return content[0].text;
}

/** Files that contain any of the words. */
function grepped(directory, words) {
  const kinds = ['--include=*.js', '--include=*.py', '--include=*.go'];
  const { stdout } = spawnSync('grep', ['-rliE', ...kinds, words.replaceAll(' ', '|'), '.'], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return stdout.split('\n').filter(Boolean).toSorted();
}
