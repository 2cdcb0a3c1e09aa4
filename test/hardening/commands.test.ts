/**
 * @module-tag slow
 */

import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bench, living, nap, shown, temporaryFolder } from '../support/commands.ts';
import { withoutLag } from '../support/lag.ts';
import { exchanging } from '../support/race.ts';
import { SECRET, textOf, workspace } from '../support/workspace.ts';

test.each([
  ['split streams', `${nap(300)}2 & echo hi`, { streams: 'split' as const }],
  ['a child that keeps only stderr', `${nap(300)}2 > /dev/null & echo hi`, {}],
  ['a child that ignores SIGTERM', `(trap "" TERM; ${nap(300)}2; ${nap(300)}2) & sleep 0.1; echo hi`, {}],
  ['a coprocess', `coproc ${nap(300)}2; echo hi`, {}],
  ['a stopped child', `${nap(300)}2 & kill -STOP $!; echo hi`, {}],
])('B01 %s', async (_, command, over) => {
  const result = await bench().run(command, over);
  expect(shown(result)).toContain('hi\n');
  expect(result).toMatchObject({ exitCode: 0, timedOut: false, background: { left: 0 } });
  expect(living(`${nap(300)}2`)).toEqual([]);
});

test('B01 a background child that floods the pipe', async () => {
  const result = await bench().run(`yes ${nap(300)}3 & echo hi`);
  expect(result).toMatchObject({ exitCode: 0, timedOut: false, background: { ended: 1, left: 0 } });
  expect(living(`${nap(300)}3`)).toEqual([]);
});

test.each([
  ['a pipeline', `${nap(702)}1 | ${nap(702)}2 | cat`],
  ['nested shells', `bash -c "bash -c \\"${nap(702)}3; :\\"; :"`],
  ['a tree that grows', `while :; do ${nap(702)}4 & sleep 0.01; done`],
  ['a stopped process', `${nap(702)}5 & kill -STOP $!; wait`],
  ['a hundred processes', `for i in $(seq 100); do ${nap(702)}6 & done; wait`],
  ['a hundred sessions', `for i in $(seq 100); do setsid ${nap(702)}7 & done; wait`],
  ['a shell that replaced itself', `exec setsid -w sh -c "${nap(702)}8; :"`],
])('B02 %s', async (_, command) => {
  const result = await bench().run(command, { timeout: 0.3 });
  expect(result).toMatchObject({ timedOut: true, background: { left: 0 } });
  expect(living(nap(702))).toEqual([]);
});

test('B03 nor does a process that forks and exits continuously', async () => {
  const folder = temporaryFolder();
  const chain = join(folder, 'chain.sh');
  writeFileSync(chain, `#!/bin/sh\n[ -e "${folder}/stop" ] && exit\nsetsid "$0" &\n`, { mode: 0o755 });
  onTestFinished(() => writeFileSync(join(folder, 'stop'), ''));
  for (let i = 0; i < 8; i += 1) {
    const result = await bench().run(`${chain} & sleep 0.${i % 3}`);
    expect(result.background.left).toBe(0);
    const seen = Array.from({ length: 20 }, () => living(chain)).flat();
    expect([i, seen]).toEqual([i, []]);
  }
});

test('B03 hundreds of descendants are killed, the event loop runs', async () => {
  const result = await withoutLag(() =>
    bench().run(`for i in {1..500}; do setsid ${nap(703)}6 & done; sleep 1`, { timeout: 120 }),
  );
  expect(result.background).toEqual({ ended: 500, left: 0 });
  expect(living(`${nap(703)}6`)).toEqual([]);
});

test('B05 endless output on one line is counted and capped', async () => {
  const { run } = bench({ spills: { cap: 1 << 20 } });
  const before = process.memoryUsage.rss();
  const result = await run('head -c 100000000 /dev/zero | tr "\\0" a', { keep: 'ends' });
  const grown = process.memoryUsage.rss() - before;
  const [stream] = result.streams;
  expect(stream).toMatchObject({ bytes: 100_000_000, lines: 1, truncated: true, spill: { capped: true } });
  expect(shown(result)).toBe('a'.repeat(51_200));
  expect(stream?.excerpt).toMatchObject({
    oversized: { no: 1, start: 0, bytes: 100_000_000 },
    next: { kind: 'tail', lines: 1, before: 99_948_800 },
  });
  expect(stream?.spill?.bytes).toBe(1 << 20);
  expect(readFileSync(stream?.spill?.path ?? '', 'latin1')).toBe('a'.repeat(1 << 20));
  expect(grown).toBeLessThan(60 << 20);
});

test('B06 twenty concurrent commands', async () => {
  const { run, spills } = bench();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, i) => run(`seq ${i + 1}000; echo end ${i}`)),
  );
  for (const [i, result] of results.entries()) expect(shown(result)).toMatch(new RegExp(`\\nend ${i}\\n$`));
  const urls = results.flatMap(({ streams }) => streams.flatMap(({ spill }) => spill?.url ?? []));
  expect(new Set(urls).size).toBe(19);
  expect(readdirSync(spills.directory).filter((name) => !name.endsWith('.log'))).toEqual([]);
});

test('B17 a command starts in the checked directory, though replaced', async () => {
  const { W, O, write, with: walled } = workspace();
  write('real/here.txt', 'inside\n');
  write('../outside/here.txt', `${SECRET}\n`);
  symlinkSync(O, `${W}/away`);
  const oriel = walled({ cwd: W, roots: [W] });
  const stop = exchanging(W);
  const told: string[] = [];
  // The kernel's word for the directory: bash's `pwd -P` resolves the name that it remembers, which was exchanged.
  const command = 'cat here.txt; readlink /proc/self/cwd';
  try {
    for (let i = 0; i < 20 || !told.some((text) => text.startsWith('inside')); i += 1)
      told.push(textOf(await oriel.tool('bash').run({ command, cwd: 'd' })));
  } finally {
    await stop();
    await oriel.close();
  }
  expect(told.filter((text) => text.includes(SECRET) || text.includes(O))).toEqual([]);
});
