/**
 * @module-tag slow
 */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { heartbeat } from '../support/process-under-test.ts';
import { workspace } from '../support/workspace.ts';

const library = built('index.js');

test.each([64, 256])('C08 500 concurrent reads with %i descriptors are all answered', (limit) => {
  const { W, write } = workspace();
  for (let i = 0; i < 20; i += 1) write(`f${i}`, `${i}\n`);
  const script = `
    import { createOriel } from ${JSON.stringify(library)};
    const read = createOriel({ cwd: ${JSON.stringify(W)}, roots: [${JSON.stringify(W)}] }).tool('read');
    const paths = Array.from({ length: 500 }, (_, i) => 'f' + (i % 20));
    const answers = await Promise.all(paths.map((path) => read.run({ path })));
    console.log(answers.filter(({ content }, i) => content[0].text === '1|' + (i % 20) + '\\n').length);
  `;
  const command = `ulimit -n ${limit}; exec "$0" --input-type=module -e "$1"`;
  const said = execFileSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  expect(said).toBe('500\n');
});

test.each([
  [64, 200],
  [256, 500],
])('C08 with %i descriptors %i concurrent listings are complete', (limit, count) => {
  const { W, write } = workspace();
  for (let i = 0; i < 12; i += 1) write(`d${i}/inner/f`, `${i}\n`);
  const script = `
    import { createOriel } from ${JSON.stringify(library)};
    const read = createOriel({ cwd: ${JSON.stringify(W)}, roots: [${JSON.stringify(W)}] }).tool('read');
    const listing = async () => (await read.run({ path: '.' })).content[0].text;
    const expected = await listing();
    const listings = await Promise.all(Array.from({ length: ${count} }, listing));
    console.log(expected.split('\\n').length, listings.filter((text) => text === expected).length);
  `;
  const command = `ulimit -n ${limit}; exec "$0" --input-type=module -e "$1"`;
  const said = execFileSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
  expect(said).toBe(`25 ${count}\n`);
});

test.skipIf(process.platform !== 'linux')(
  'the heartbeat of a process under test needs no descriptors',
  () => {
    const script = `
    import { openSync } from 'node:fs';
    try { for (;;) openSync('/dev/null'); } catch (error) { console.log(error.code); }
    setTimeout(() => process.exit(0), 200);
  `;
    const command = 'ulimit -n 64; exec "$0" "$@"';
    const args = [process.execPath, ...heartbeat, '--input-type=module', '-e', script];
    expect(execFileSync('sh', ['-c', command, ...args], { encoding: 'utf8' })).toBe('EMFILE\n');
  },
);
