/** Where a dialect departs from a law it does exactly what it declares, and nothing wider. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/index.ts';
import { type Called, numbered, place, wideLines } from '../support/dialect.ts';
import { departs } from './departures.ts';
import { follow, oversized } from './follow.ts';
import { type Reader, readers } from './tools.ts';

const reader = (dialect: string): Reader => readers.find((known) => known.dialect === dialect) as Reader;

const json = ({ text }: Called): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
const firstOf = async (dialect: string, content: string | Uint8Array): Promise<Called> => {
  const tool = reader(dialect);
  const here = place(tool.dialect);
  here.write('file.txt', content);
  return here.call(tool.tool, tool.ask(here.folder, 'file.txt'));
};

/** What a dialect does against a law, and no more than that. */
const departures: Record<string, () => Promise<void>> = {
  async 'pi read 1'() {
    const { pages } = await follow(reader('pi'), oversized);
    expect(pages.map(({ text }) => text)).toEqual([
      'before\n[Showing lines 1-1 of 3 (30KB limit). Use offset=2 to continue]',
      "[Line 2 is 600KB, exceeds 30KB limit. Use bash: sed -n '2p' file.txt | head -c 30000]",
    ]);
  },
  async 'pi read 4'() {
    const { text } = await firstOf('pi', `${'x'.repeat(40_000)}\nlast\n`);
    expect(text).toBe('[Line 1 is 40KB, exceeds 30KB limit. Use bash to read: head -c 30000 file.txt]');
  },
  async 'pi bash 4'() {
    const here = place('pi');
    const { text, details } = await here.call('bash', { command: 'seq 5000' });
    const path = details['fullOutputPath'] as string;
    expect(text.split('\n').at(-1)).toBe(`[Showing lines 3001-5000 of 5000. Full output: ${path}]`);
    expect(readFileSync(path, 'utf8')).toBe(numbered(1, 5000));
  },
  async 'pi grep 4'() {
    const here = place('pi');
    here.write('f', numbered(1, 150));
    const { text } = await here.call('grep', { pattern: '.' });
    expect(text.split('\n').at(-1)).toBe(
      '[100 matches limit reached. Use limit=200 for more, or refine pattern]',
    );
    const more = await here.call('grep', { pattern: '.', limit: 200 });
    expect(more.text.split('\n')).toHaveLength(150);
  },
  async 'pi find 4'() {
    const here = place('pi');
    for (const name of ['a', 'b', 'c']) here.write(name, '');
    expect((await here.call('find', { pattern: '*', limit: 2 })).text).toBe(
      'a\nb\n[2 results limit reached. Use limit=4 for more, or refine pattern]',
    );
    expect((await here.call('find', { pattern: '*', limit: 4 })).text).toBe('a\nb\nc');
  },
  async 'pi ls 4'() {
    const here = place('pi');
    for (const name of ['a', 'b', 'c']) here.write(name, '');
    expect((await here.call('ls', { limit: 2 })).text).toBe(
      'a\nb\n[2 entries limit reached. Use limit=4 for more]',
    );
    expect((await here.call('ls', { limit: 4 })).text).toBe('a\nb\nc');
  },
  ...published('pi@0.74'),
  async 'pi@0.74 read 2'() {
    const { pages } = await follow(reader('pi@0.74'), numbered(1, 2000));
    expect(pages.map(({ text }) => text)).toEqual([
      `${numbered(1, 2000)}\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]`,
      '',
    ]);
    expect((await firstOf('pi@0.74', numbered(1, 1999))).text).toBe(numbered(1, 1999));
  },
  async 'pi@0.74 bash 2'() {
    const here = place('pi@0.74');
    const { details } = await here.call('bash', { command: 'seq 2000' });
    expect(details['truncation']).toMatchObject({ totalLines: 2001, outputLines: 2000, maxLines: 2000 });
    const whole = await here.call('bash', { command: 'seq 1999' });
    expect(whole.text).toBe(numbered(1, 1999));
  },
  async 'pi@0.74 bash 4'() {
    const here = place('pi@0.74');
    const { text, details } = await here.call('bash', { command: 'seq 5000' });
    const path = details['fullOutputPath'] as string;
    expect(text).toBe(`${numbered(3002, 5000)}\n\n[Showing lines 3002-5001 of 5001. Full output: ${path}]`);
    expect(readFileSync(path, 'utf8')).toBe(numbered(1, 5000));
  },
  ...published('pi@1.6'),
  async 'pi@1.6 read 2'() {
    const { pages } = await follow(reader('pi@1.6'), numbered(1, 2001));
    expect(pages.map(({ text }) => text)).toEqual([
      `${numbered(1, 2000)}\n[Showing lines 1-2000 of 2002. Use offset=2001 to continue.]`,
      '2001\n',
    ]);
    expect((await firstOf('pi@1.6', numbered(1, 2000))).text).toBe(numbered(1, 2000));
  },
  async 'pi@1.6 bash 4'() {
    const here = place('pi@1.6');
    const { text, details } = await here.call('bash', { command: 'seq 5000' });
    const path = details['fullOutputPath'] as string;
    expect(text).toBe(`${numbered(3001, 5000)}\n[Showing lines 3001-5000 of 5000. Full output: ${path}]`);
    expect(readFileSync(path, 'utf8')).toBe(numbered(1, 5000));
  },
  async 'zed read_file 4'() {
    const { pages } = await follow(reader('zed'), oversized);
    for (const [i, { text }] of pages.entries()) {
      const [header = ''] = text.split('\n', 1);
      expect(header).toMatch(
        i === pages.length - 1
          ? /^\[bytes .*; end of file\]$/
          : /^\[bytes .*; continue with start_byte=\d+\]$/,
      );
      expect(text.slice(header.length)).not.toContain('[');
    }
  },
  ...zdx('zdx', 51_200),
  ...zdx('zdx@0.10', 40_960),
  'coder read_file 1': () => coderCuts('read_file'),
  'coder read_file 4': () => coderRefuses('read_file'),
  'coder coder_workspace_read_file 1': () => coderCuts('coder_workspace_read_file'),
  'coder coder_workspace_read_file 4': () => coderRefuses('coder_workspace_read_file'),
};

/** Both published versions of pi. */
function published(dialect: DialectName): Record<string, () => Promise<void>> {
  return {
    async [`${dialect} read 1`]() {
      const { pages } = await follow(reader(dialect), oversized);
      expect(pages.map(({ text }) => text)).toEqual([
        'before\n\n[Showing lines 1-1 of 4 (50.0KB limit). Use offset=2 to continue.]',
        "[Line 2 is 585.9KB, exceeds 50.0KB limit. Use bash: sed -n '2p' file.txt | head -c 51200]",
      ]);
    },
    async [`${dialect} read 4`]() {
      const { text } = await firstOf(dialect, `${'x'.repeat(60_000)}\nlast\n`);
      expect(text).toBe(
        "[Line 1 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '1p' file.txt | head -c 51200]",
      );
    },
    [`${dialect} grep 4`]: () =>
      beginsAgain(dialect, 'grep', { pattern: '.' }, 'matches', ', or refine pattern'),
    [`${dialect} find 4`]: () =>
      beginsAgain(dialect, 'find', { pattern: '*' }, 'results', ', or refine pattern'),
    [`${dialect} ls 4`]: () => beginsAgain(dialect, 'ls', {}, 'entries', ''),
  };
}

function zdx(dialect: DialectName, stream: number): Record<string, () => Promise<void>> {
  return {
    async [`${dialect} read 1`]() {
      expect(json(await firstOf(dialect, oversized))['data']).toMatchObject({
        content: `before\n${'g'.repeat(500)}\nafter\n`,
        lines_shown: 3,
        truncated: false,
      });
    },
    async [`${dialect} read 4`]() {
      const { pages } = await follow(reader(dialect), numbered(1, 4500));
      expect(pages.map((called) => json(called)['data'])).toEqual([
        {
          path: 'file.txt',
          content: numbered(1, 2000),
          offset: 1,
          lines_shown: 2000,
          total_lines: 4500,
          truncated: true,
        },
        {
          path: 'file.txt',
          content: numbered(2001, 4000),
          offset: 2001,
          lines_shown: 2000,
          total_lines: 4500,
          truncated: true,
        },
        {
          path: 'file.txt',
          content: numbered(4001, 4500),
          offset: 4001,
          lines_shown: 500,
          total_lines: 4500,
          truncated: false,
        },
      ]);
    },
    async [`${dialect} read 7`]() {
      const content = 'a\x1b[0m\u202e\u200b\r\n';
      expect(json(await firstOf(dialect, content))['data']).toMatchObject({ content });
    },
    async [`${dialect} bash 1`]() {
      const { text } = await place(dialect).call('bash', { command: `yes 'a line' | head -c 60000` });
      const { data } = JSON.parse(text) as { data: { stdout: string } };
      expect(data.stdout).toBe('a line\n'.repeat(10_000).slice(0, stream));
    },
    async [`${dialect} bash 4`]() {
      const { text } = await place(dialect).call('bash', { command: 'seq 20000' });
      const { data } = JSON.parse(text) as { data: Record<string, unknown> };
      expect(data).toMatchObject({ stdout_truncated: true, stderr_truncated: false });
      expect(readFileSync(data['stdout_file'] as string, 'utf8')).toBe(numbered(1, 20_000));
    },
    async [`${dialect} bash 7`]() {
      const { text } = await place(dialect).call('bash', { command: `printf 'a\\033[0m\\r\\n'` });
      expect(JSON.parse(text)).toMatchObject({ data: { stdout: 'a\x1b[0m\r\n' } });
    },
  };
}

const coderReader = (name: string): Reader =>
  readers.find(({ dialect, tool }) => dialect === 'coder' && tool === name) as Reader;

async function beginsAgain(
  dialect: DialectName,
  tool: string,
  input: object,
  of: string,
  refine: string,
): Promise<void> {
  const here = place(dialect);
  for (const name of ['a', 'b', 'c']) here.write(name, `${name}\n`);
  const shown = ['a', 'b', 'c'].map((name) => (tool === 'grep' ? `${name}:1: ${name}` : name));
  expect((await here.call(tool, { ...input, limit: 2 })).text).toBe(
    `${shown.slice(0, 2).join('\n')}\n\n[2 ${of} limit reached. Use limit=4 for more${refine}]`,
  );
  expect((await here.call(tool, { ...input, limit: 4 })).text).toBe(shown.join('\n'));
}

async function coderCuts(name: string): Promise<void> {
  const tool = coderReader(name);
  const { pages } = await follow(tool, oversized);
  expect(json(pages[0] as Called)).toEqual({
    content: `1\tbefore\n2\t${'g'.repeat(1024)}... [truncated]\n3\tafter`,
    file_size: Buffer.byteLength(oversized),
    total_lines: 3,
    lines_read: 3,
  });
}

async function coderRefuses(name: string): Promise<void> {
  const tool = coderReader(name);
  await expect(follow(tool, wideLines(1000, 100))).rejects.toThrow(
    '{"error":"output would exceed 32768 bytes. Read less at a time using offset and limit parameters."}',
  );
  const { pages } = await follow(tool, wideLines(1000, 100), { limit: 300 });
  expect(pages.map((called) => json(called)['lines_read'])).toEqual([300, 300, 300, 100]);
}

describe('departures', () => {
  const declared = departs.map(({ dialect, tool, law }) => `${dialect} ${tool} ${law}`);

  test('exactly the declared ones are held to', () =>
    expect(Object.keys(departures).toSorted()).toEqual(declared.toSorted()));

  test.each(Object.entries(departures))('%s', { tags: 'slow' }, (_, hold) => hold());
});
