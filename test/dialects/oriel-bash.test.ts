import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, describe, expect, test } from 'vitest';
import type { OrielOptions } from '../../src/options.ts';
import { createOriel } from '../../src/oriel.ts';
import type { Answer } from '../../src/types/answer.ts';
import { temporaryFolder } from '../support/commands.ts';

interface Session {
  call(tool: 'bash' | 'read', input: object, signal?: AbortSignal): Promise<Answer & { text: string }>;
}

function session(options: OrielOptions = {}): Session {
  const oriel = createOriel({
    cwd: temporaryFolder(),
    ...options,
    spills: { state: temporaryFolder(), ...options.spills },
  });
  onTestFinished(() => oriel.close());
  return {
    async call(tool, input, signal) {
      const answer = await oriel.tool(tool).run(input, signal ? { signal } : {});
      const [block] = answer.content;
      return { ...answer, text: block?.type === 'text' ? block.text : '' };
    },
  };
}

const bash = (command: string, options?: OrielOptions): Promise<Answer & { text: string }> =>
  session(options).call('bash', { command });

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

const pathOf = ({ details }: Answer): string =>
  (details['output'] as { fullOutputPath: string }).fullOutputPath;

describe('what a model sees', () => {
  test('the output alone', async () => {
    const { text, isError, details } = await bash('echo one; echo two >&2');
    expect(text).toBe('one\ntwo\n');
    expect(isError).toBe(false);
    expect(details).toEqual({
      exitCode: 0,
      timedOut: false,
      cancelled: false,
      output: { totals: { bytes: 8, lines: 2 } },
      limits: { lines: 2_000, bytes: 51_200 },
    });
  });

  test('that there is none', async () => expect((await bash('true')).text).toBe('(no output)'));

  test('a failing command, below its output', async () => {
    const { text, isError, details } = await bash('printf oops; exit 3');
    expect(text).toBe('oops\nCommand exited with code 3');
    expect(isError).toBe(true);
    expect(details).toMatchObject({
      exitCode: 3,
      error: { code: 'EXIT', message: 'Command exited with code 3' },
    });
  });

  test('a failing command without output', async () =>
    expect((await bash('exit 1')).text).toBe('Command exited with code 1'));

  test('a signal', async () => {
    const { text, details } = await bash('echo hi; kill -SEGV $$');
    expect(text).toBe('hi\nCommand was ended by signal SIGSEGV');
    expect(details).toMatchObject({ signal: 'SIGSEGV', error: { code: 'EXIT' } });
  });

  test('a time-out, with what was said until then', { tags: 'slow' }, async () => {
    const { text, details, isError } = await session().call('bash', {
      command: 'echo hi; sleep 60',
      timeout: 4.5,
    });
    expect(text).toBe('hi\nCommand timed out after 4.5 seconds');
    expect(isError).toBe(true);
    expect(details).toMatchObject({ timedOut: true, error: { code: 'TIMEOUT' } });
  });

  test('a cancel, with what was said until then', { tags: 'slow' }, async () => {
    const stop = new AbortController();
    const cwd = temporaryFolder();
    const answer = session({ cwd }).call('bash', { command: 'echo hi; touch said; sleep 60' }, stop.signal);
    await expect.poll(() => existsSync(join(cwd, 'said'))).toBe(true);
    stop.abort();
    const { text, details, isError } = await answer;
    expect(text).toBe('hi\nCommand was cancelled');
    expect(isError).toBe(true);
    expect(details).toMatchObject({ cancelled: true, error: { code: 'CANCELLED' } });
  });

  test('processes that were left behind', async () =>
    expect((await bash('sleep 720.1 & sleep 720.2 & echo hi')).text).toBe(
      'hi\n[2 processes left in the background ended with the command]',
    ));
});

describe('what is left out', () => {
  test('not text in another encoding, which is counted', async () =>
    expect((await bash('printf "caf\\351 na\\357ve\\n"')).text).toBe(
      'caf\ufffd na\ufffdve\n[2 invalid UTF-8 sequences shown as U+FFFD]',
    ));

  test('not NULs and other controls, which are made visible', async () =>
    expect((await bash('printf "a\\0b\\007c\\n"; printf "\\342\\200\\256x"')).text).toBe(
      'a\\x00b\\x07c\n\\u202ex',
    ));

  test('colours and what a progress bar drew over', { tags: 'slow' }, async () =>
    expect(
      (await bash('printf "\\033[32mok\\033[0m\\n"; for i in 1 2 3; do printf "\\r$i/3"; done')).text,
    ).toBe('ok\n3/3'),
  );

  test('by lines', { tags: 'slow' }, async () => {
    const answer = await bash('seq 50000');
    expect(answer.text).toBe(
      `${numbered(48_001, 50_000)}[Showing lines 48001-50000 of 50000. Full output: ${pathOf(answer)}. ` +
        'Use artifact://1:-48000@276894 to continue backwards]',
    );
    expect(answer.details['output']).toEqual({
      totals: { bytes: 288_894, lines: 50_000 },
      truncation: {
        by: 'lines',
        shown: { lines: [[48_001, 50_000]], bytes: [276_894, 288_894] },
        next: 'artifact://1:-48000@276894',
      },
      artifact: 'artifact://1',
      fullOutputPath: pathOf(answer),
    });
  });

  test('by bytes', { tags: 'slow' }, async () => {
    const answer = await bash('for i in $(seq 1000); do printf "%099d\\n" $i; done');
    const shown = Array.from({ length: 512 }, (_, i) => `${String(489 + i).padStart(99, '0')}\n`).join('');
    expect(answer.text).toBe(
      `${shown}[Showing lines 489-1000 of 1000 (50 KiB limit). Full output: ${pathOf(answer)}. ` +
        'Use artifact://1:-488@48800 to continue backwards]',
    );
  });

  test('of a last line over the limit', { tags: 'slow' }, async () => {
    const answer = await bash('seq 9; head -c 102400 /dev/zero | tr "\\0" x');
    expect(answer.text).toBe(
      `${'x'.repeat(51_200)}\n[Showing last 50 KiB of line 10 (line is 100 KiB). Full output: ${pathOf(answer)}. ` +
        'Use artifact://1:-10@51218 to continue backwards]',
    );
  });

  test('because it is binary', async () => {
    const answer = await bash('head -c 4096 /dev/zero');
    expect(answer.text).toBe(
      `[The output is binary (4 KiB) and is not shown. Full output: ${pathOf(answer)}. Use a shell to look at it: xxd ${pathOf(answer)} | head -100]`,
    );
  });

  test('beyond the cap of a spill', { tags: 'slow' }, async () => {
    const answer = await bash('seq 50000', { spills: { cap: 100 << 10 } });
    expect(answer.text).toContain(
      `[Showing lines 48001-50000 of 50000. Full output: ${pathOf(answer)} (its first 100 KiB). Use artifact://1:-48000@276894 to continue backwards]`,
    );
  });

  test('stays within a host’s own limits', async () => {
    const answer = await bash('seq 100', { limits: { lines: 3 } });
    expect(answer.text).toMatch(/^98\n99\n100\n\[Showing lines 98-100 of 100\. /);
  });

  test('next to how the command ended', { tags: 'slow' }, async () => {
    const answer = await bash('seq 3000; exit 2');
    expect(answer.text).toBe(
      `${numbered(1_001, 3_000)}Command exited with code 2\n[Showing lines 1001-3000 of 3000. ` +
        `Full output: ${pathOf(answer)}. Use artifact://1:-1000@3893 to continue backwards]`,
    );
    expect(answer.isError).toBe(true);
  });
});

describe('bad input', () => {
  test.each([
    [
      {},
      'The field command of bash is missing. Its fields are command, timeout, cwd. Use {"command":"npm test"}.',
    ],
    [
      { command: 'true', shell: 'zsh' },
      'The tool bash has no field shell. Its fields are command, timeout, cwd. Use {"command":"true"}.',
    ],
  ])('%j', async (input, message) => {
    const { text, isError } = await session().call('bash', input);
    expect(text).toBe(message);
    expect(isError).toBe(true);
  });
});
