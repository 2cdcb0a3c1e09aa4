import { describe, expect, onTestFinished, test } from 'vitest';
import type { OrielOptions } from '../../../src/options.ts';
import { createOriel, type Oriel } from '../../../src/oriel.ts';
import { temporaryFolder } from '../../support/commands.ts';

function oriel(options: OrielOptions = {}): Oriel {
  const made = createOriel({
    cwd: temporaryFolder(),
    ...options,
    spills: { state: temporaryFolder(), ...options.spills },
  });
  onTestFinished(() => made.close());
  return made;
}

async function text(made: Oriel, tool: string, input: object): Promise<string> {
  const { content } = await made.tool(tool).run(input);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe('a run of equal lines in an output', () => {
  const command = `echo begin; for i in $(seq 60); do echo "step $i/60"; done; echo "error at 3/60"; yes wait | head -n 9000; echo end`;

  test('is shown once, and its call shows every line', async () => {
    const made = oriel();
    expect(await text(made, 'bash', { command })).toMatch(
      /^begin\nstep 60\/60\n\[60 lines like this: artifact:\/\/1:2\.\.61\]\nerror at 3\/60\nwait\n\[9000 lines [^\n]*\nend\n$/,
    );
    const lines = Array.from({ length: 60 }, (_, i) => `${i + 2}|step ${i + 1}/60\n`);
    expect(await text(made, 'read', { path: 'artifact://1:2..61' })).toBe(lines.join(''));
    const { details } = await made.tool('bash').run({ command: 'echo a; yes wait | head -n 30' });
    expect(details['output']).toMatchObject({ folded: [[2, 31]] });
  });

  test('is shown whole where folding is off, and in other dialects', async () => {
    const short = { command: `yes 'wait for it' | head -n 30` };
    const whole = 'wait for it\n'.repeat(30);
    expect(await text(oriel({ run: { fold: false } }), 'bash', short)).toBe(whole);
    expect(await text(oriel({ dialect: 'pi' }), 'bash', short)).toBe(whole);
  });

  test('of which no line fits is shown by its last line, and followed', async () => {
    const made = oriel({ limits: { bytes: 1_520 } });
    const command = `for i in 1 2 3; do printf '%1500s\\n' x; done`;
    const shown = await text(made, 'bash', { command });
    expect(shown).toContain('[Showing line 3 of 3');
    expect(shown).toContain('Use artifact://1:-2@3002 to continue backwards');
  });

  test('at the cut: the next call leads to what is before the run', async () => {
    const made = oriel({ limits: { lines: 3 } });
    const shown = await text(made, 'bash', { command: `seq 3; yes 'wait for it' | head -n 30; echo end` });
    expect(shown).toMatch(/^wait for it\n\[30 lines like this: .*:4\.\.33]\nend\n\[Showing lines 4-34 of 34/);
    expect(shown).toContain('Use artifact://1:-3@6 to continue backwards');
  });
});

describe('artifact://N', () => {
  test('that is a log is read as its map', async () => {
    const made = oriel();
    const line = '2026-11-29 10:00:$((i % 60)) INFO GET /items/$i';
    await text(made, 'bash', { command: `for i in $(seq 3000); do echo "${line}"; done; echo "ERROR gone"` });
    const map = await text(made, 'read', { path: 'artifact://1' });
    expect(map).toContain('\n3001|ERROR gone\n[A log of 3001 lines of 2 shapes, ');
    expect(map).toMatch(/or all of it: artifact:\/\/1:1\.\.\]$/);
  });

  test.each([
    [':5..7', '5|5\n6|6\n7|7\n'],
    [':-2', '4999|4999\n5000|5000\n'],
    [':-2@13893', '2999|2999\n3000|3000\n'],
    [':@23888+64K', '5000|5000\n'],
    [':4999..5000:raw', '4999\n5000\n'],
    [':1,5000', '1|1\n2|2\n3|3\n4|4\n…\n4999|4999\n5000|5000\n'],
    [
      ':9999',
      '[Line 9999 is beyond the end of artifact://1 (5000 lines). Use artifact://1:5000 for the end or artifact://1:1 for the start]',
    ],
  ])('takes every selector: %s', async (selector, expected) => {
    const made = oriel();
    await text(made, 'bash', { command: 'seq 5000' });
    expect(await text(made, 'read', { path: `artifact://1${selector}` })).toBe(expected);
  });

  test('a silent shared store: the error names the same part', async () => {
    const key = 'the key of one operator, and no other';
    const made = oriel({ state: { url: 'redis://127.0.0.1:1', key } });
    for (const path of ['artifact://1234567', 'artifact://1234567:5..9', 'artifact://1234567:-20']) {
      const { details } = await made.tool('read').run({ path });
      expect(details['error']).toEqual({
        code: 'BUSY',
        message: `artifact://1234567 is not on this replica, and the shared store, which may have it, does not answer now. Read it again in a moment. Use ${path}.`,
        next: path,
      });
    }
  });

  test('names the output and its file in details', async () => {
    const made = oriel();
    const ran = await made.tool('bash').run({ command: 'seq 5000' });
    const { fullOutputPath } = ran.details['output'] as { fullOutputPath: string };
    const { details } = await made.tool('read').run({ path: 'artifact://1:5..7' });
    expect(details).toMatchObject({
      source: 'artifact://1',
      resolvedPath: 'artifact://1',
      kind: 'internal',
      totals: { lines: 5_000, bytes: 23_893 },
      meta: { path: fullOutputPath },
    });
  });

  test('keeps what the answer of the command omitted', async () => {
    const made = oriel();
    const command = 'for i in $(seq 2500); do printf "\\033[31mred $i\\033[0m\\n"; done';
    expect(await text(made, 'bash', { command })).toMatch(/^red 501\nred 502\n/);
    expect(await text(made, 'read', { path: 'artifact://1:1..1:raw' })).toBe('\x1b[31mred 1\x1b[0m\n');
    expect(await text(made, 'read', { path: 'artifact://1:1..1' })).toBe(
      '1|\\x1b[31mred 1\\x1b[0m\n[2 control or invisible characters shown as escapes; artifact://1:1..1:raw has them as stored]',
    );
  });

  test('reports that its end is missing', async () => {
    const made = oriel({ spills: { cap: 10_240 } });
    await text(made, 'bash', { command: 'seq 5000' });
    expect(await text(made, 'read', { path: 'artifact://1:-1' })).toBe(
      '2270|22\n[artifact://1 holds the first 10 KiB of its output; the rest was not kept]',
    );
  });

  test.each([
    ['artifact://7', 'There is no artifact://7. The last one kept is artifact://1. Use artifact://1.'],
    ['artifact://x', 'artifact://x names no output. Use artifact:// for the list of those that were kept.'],
    [
      'artifact://../1',
      'artifact://../1 names no output. Use artifact:// for the list of those that were kept.',
    ],
  ])('explains %s', async (path, message) => {
    const made = oriel();
    await text(made, 'bash', { command: 'seq 5000' });
    expect(await text(made, 'read', { path })).toBe(message);
  });

  test('a bad selector is answered with a call that works', async () => {
    const made = oriel();
    await text(made, 'bash', { command: 'seq 5000' });
    const { details } = await made.tool('read').run({ path: 'artifact://1:nonsense' });
    expect(details['error']).toMatchObject({ code: 'BAD_SELECTOR', next: 'artifact://1' });
  });

  test('can be read by path though the roots exclude it', async () => {
    const folder = temporaryFolder();
    const made = oriel({ cwd: folder, roots: [folder] });
    const ran = await made.tool('bash').run({ command: 'seq 5000' });
    const { fullOutputPath } = ran.details['output'] as { fullOutputPath: string };
    expect(await text(made, 'read', { path: `${fullOutputPath}:5..6` })).toBe('5|5\n6|6\n');
    for (const beside of [
      fullOutputPath.replace('1.log', ''),
      fullOutputPath.replace('1.log', '2.txt'),
      '/etc/hosts',
    ]) {
      const { details } = await made.tool('read').run({ path: beside });
      expect(details['error']).toMatchObject({ code: 'OUTSIDE_ROOT' });
    }
  });

  test('is removed when the session ends', async () => {
    const state = temporaryFolder();
    const first = oriel({ spills: { state } });
    await text(first, 'bash', { command: 'seq 5000' });
    await first.close();
    const second = oriel({ spills: { state } });
    expect(await text(second, 'read', { path: 'artifact://1' })).toBe(
      'There is no artifact://1. No output has been kept. Use . to list the working directory.',
    );
  });
});
