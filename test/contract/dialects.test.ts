/**
 * The laws of an answer, run against every tool of every dialect; what a dialect declares to do otherwise is held to
 * exactly that.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../src/dialects/table.ts';
import { dialectNames, type OrielOptions } from '../../src/index.ts';
import { type Called, numbered, place, type Place, wideLines } from '../support/dialect.ts';
import { nameOf, readers, type Reader, type Step, type ToolCase, tools } from './tools.ts';

const departs = dialectNames.flatMap((dialect) =>
  dialectOf(dialect).departs.map(({ law, tool }) => ({ dialect, tool, law })),
);
const departing = (law: number) => (tool: ToolCase) =>
  departs.some((known) => known.law === law && known.dialect === tool.dialect && known.tool === tool.tool);
const keeping = (law: number) => (tool: ToolCase) => !departing(law)(tool);
const named = <T extends ToolCase>(list: readonly T[]): [string, T][] =>
  list.map((tool) => [nameOf(tool), tool]);
const reader = (dialect: string): Reader => readers.find((known) => known.dialect === dialect) as Reader;

test('every tool of every dialect is here', () => {
  const declared = dialectNames.flatMap((dialect) =>
    dialectOf(dialect).tools.map(({ name }) => `${dialect} ${name}`),
  );
  expect(tools.map(nameOf).toSorted()).toEqual(declared.toSorted());
});

interface Pages {
  readonly here: Place;
  readonly pages: readonly Called[];
  readonly bodies: readonly string[];
}

/** Follows a reader from its first answer to its last. */
async function follow(
  tool: Reader,
  content: string | Uint8Array,
  more: Record<string, unknown> = {},
  options: OrielOptions = {},
): Promise<Pages> {
  const here = place(tool.dialect, options);
  here.write('file.txt', content);
  const pages: Called[] = [];
  let step: Step | undefined = {
    tool: tool.tool,
    input: { ...tool.ask(here.folder, 'file.txt'), ...more },
  };
  while (step) {
    const called: Called = await here.call(step.tool, step.input);
    if (called.isError) throw new Error(called.text);
    pages.push(called);
    if (pages.length > 2000) throw new Error('the answers do not come to an end');
    step = tool.next(called, step);
  }
  return { here, pages, bodies: pages.map((called) => tool.body(called)) };
}

/** A page that coder can answer: it refuses what is too much. */
const portion = ({ dialect }: ToolCase, limit: number): Record<string, unknown> =>
  dialect === 'coder' ? { limit } : {};
/** coder's content has no final line end. */
const terminated = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const prose = Array.from({ length: 6000 }, (_, i) => `${i} süßes Ünïcode, 線 and words`).join('\n');

describe.each(named(readers))('laws 1, 2 and 4: %s', (_, tool) => {
  test('following the answers yields every byte once, in whole lines', async () => {
    const { bodies } = await follow(tool, prose, portion(tool, 500));
    expect(bodies.length).toBeGreaterThan(tool.dialect === 'zed' ? 0 : 2);
    expect(terminated(bodies.join(''))).toBe(terminated(prose));
    for (const body of bodies.slice(0, -1)) expect(body.endsWith('\n')).toBe(true);
  });

  test('whatever the text', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '線', '👩', ' ', '\t'), maxLength: 12 });
    const texts = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 30 })
      .map((lines) => lines.map((parts) => parts.join('')).join(''));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, most) => {
        const options = { limits: { lines: most, bytes: 300 } };
        const { bodies } = await follow(tool, text, portion(tool, Math.min(most, 4)), options);
        expect(terminated(bodies.join(''))).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  test('a final newline begins no further line', async () => {
    const totals = async (content: string): Promise<unknown> => {
      const { details } = (await follow(tool, content)).pages[0] as Called;
      return details['total_lines'] ?? (details['totals'] as { lines: number }).lines;
    };
    expect(await totals('a\nb\n')).toBe(2);
    expect(await totals('a\nb')).toBe(2);
    expect(await totals('')).toBe(0);
  });
});

describe.each(named(readers.filter(keeping(4))))('law 4: %s', (_, tool) => {
  test('the notice is the last line of the text, and the last answer promises nothing', async () => {
    const { pages } = await follow(tool, prose);
    for (const { text } of pages.slice(0, -1))
      expect(text.split('\n').at(-1)).toMatch(/^\[.* to continue\]$/);
    expect(pages.at(-1)?.text).not.toContain('to continue]');
  });
});

const giant = `before\n${'g'.repeat(600_000)}é\nafter\n`;

describe.each(named(readers.filter(keeping(1))))('law 1: %s', (_, tool) => {
  test('a giant line is shown in slices that say so, and that yield every byte once', async () => {
    const { bodies, pages } = await follow(tool, giant);
    expect(bodies.join('')).toBe(giant);
    expect(
      pages.filter(({ text }) => /line 2|inside/.test(text.replaceAll(/g+/g, ''))).length,
    ).toBeGreaterThan(1);
  });
});

describe.each(named(tools))('law 3: %s', (_, tool) => {
  test('the same call gives the same answer', async () => {
    const ask = async (): Promise<unknown> => {
      const here = place(tool.dialect, { now: () => 0 });
      here.write('a.txt', numbered(1, 50, ' words'));
      here.write('b/c.txt', 'more\n');
      const input = tool.ask(here.folder, 'a.txt');
      const first = await here.call(tool.tool, input);
      const again = await here.call(tool.tool, input);
      expect(again.answer).toEqual(first.answer);
      return JSON.parse(JSON.stringify(first.answer).replaceAll(here.folder, 'W')) as unknown;
    };
    expect(await ask()).toEqual(await ask());
  });
});

describe.each(named(tools))('law 5: %s', (_, tool) => {
  const hostile: Record<string, string | Uint8Array> = {
    'one giant line': 'x'.repeat(3 << 20),
    'very many lines': '\n'.repeat(1 << 20),
    'nothing but escapes': '\x1b'.repeat(1 << 20),
    'invalid bytes': Buffer.alloc(1 << 20, 0xff),
    'many wide lines': wideLines(30_000, 100),
    'a binary': Buffer.alloc(1 << 20),
  };
  /** Of the text; JSON may write a character in six bytes. */
  const { limits } = dialectOf(tool.dialect);
  const most =
    tool.tool === 'bash' && tool.dialect === 'zdx' ? 51_200 * 2 : Math.max(limits.bytes, limits.windowMax);
  const written = tool.dialect === 'zdx' || tool.dialect === 'coder' ? 6 : 1;

  test.each(Object.entries(hostile))('%s', async (_name, content) => {
    const here = place(tool.dialect);
    here.write('file.txt', content);
    const { text } = await here.call(tool.tool, tool.ask(here.folder, 'file.txt'));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most * written + 1024);
  });

  test('a lower limit of the host', async () => {
    const here = place(tool.dialect, { limits: { bytes: 500, lines: 20 } });
    for (let i = 0; i < 40; i += 1) here.write(`folder${i}/a-name-of-some-length.txt`, '');
    here.write('file.txt', wideLines(100, 50));
    const { text } = await here.call(tool.tool, tool.ask(here.folder, 'file.txt'));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500 * 2 + 1024);
  });

  test('an error', async () => {
    const here = place(tool.dialect);
    const field = tool.pathField ?? 'command';
    const { text } = await here.call(tool.tool, {
      ...tool.ask(here.folder, 'x'),
      [field]: `/${'n'.repeat(1 << 20)}`,
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
  });
});

describe.each(named(readers))('law 5, limits are inclusive: %s', (_, tool) => {
  const pages = async (content: string, limits: OrielOptions['limits']): Promise<number> => {
    try {
      return (await follow(tool, content, {}, { limits: limits ?? {} })).pages.length;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  };

  test('bytes', async () => {
    expect(await pages(tool.exactly(1000), { bytes: 1000, windowMax: 1000 })).toBe(1);
    expect(await pages(tool.exactly(1001), { bytes: 1000, windowMax: 1000 })).toBeGreaterThan(1);
  });
});

describe.each(named(readers.filter(({ dialect }) => dialect !== 'zed')))(
  'law 5, lines are inclusive: %s',
  (_, tool) => {
    test('exactly as many pass, one more does not', async () => {
      const { pages } = await follow(tool, numbered(1, 20), portion(tool, 20), { limits: { lines: 20 } });
      expect(pages).toHaveLength(1);
      const more = follow(tool, numbered(1, 21), portion(tool, 21), { limits: { lines: 20 } });
      const count = await more.then(({ pages: all }) => all.length).catch(() => 2);
      expect(count).toBe(2);
    });
  },
);

describe.each(named(readers))('law 7: %s', (_, tool) => {
  const body = async (content: string | Uint8Array): Promise<string> =>
    (await follow(tool, content)).bodies.join('');

  test('CRLF stays, a mark is taken off, UTF-16 is decoded, invalid bytes are replaced', async () => {
    expect(await body('a\r\nb\r\n')).toBe('a\r\nb\r\n');
    expect(await body('\ufeffa\n')).toBe('a\n');
    expect(await body(Buffer.from('\ufeffgrüße\n', 'utf16le'))).toBe('grüße\n');
    expect(await body(Buffer.of(0x61, 0xe2, 0x82, 0x62, 0xff, 0x0a))).toBe('a\ufffdb\ufffd\n');
  });

  test('what was decoded or replaced is said or stands in the details', async () => {
    const { details } = (await follow(tool, Buffer.of(0x61, 0xff, 0x0a))).pages[0] as Called;
    expect(details).toMatchObject({ invalid: 1 });
    expect((await follow(tool, '\ufeffa\n')).pages[0]?.details).toMatchObject({ byteOrderMark: true });
  });

  test('a binary is refused', async () => {
    const here = place(tool.dialect);
    here.write('b', Buffer.of(1, 2, 0, 3, 0xff));
    const { text } = await here.call(tool.tool, {
      ...tool.ask(here.folder, 'b'),
      ...(tool.dialect === 'oriel' && { path: 'b' }),
    });
    expect(text).toMatch(/b is binary|not a text file/);
  });
});

describe.each(named(tools.filter(keeping(7))))('law 7: %s', (_, tool) => {
  test('hidden characters are shown as escapes', async () => {
    const here = place(tool.dialect);
    const name = tool.tool === 'find' || tool.tool === 'ls' ? 'a\x07\u202eb' : 'f';
    here.write(name, 'x\x07\u202ey\n');
    const input = tool.ask(here.folder, 'f');
    const { text } = await here.call(
      tool.tool,
      tool.dialect === 'oriel' && tool.tool === 'read' ? { path: 'f' } : input,
    );
    expect(text).not.toMatch(/[\x07\u202e]/);
    expect(text.replaceAll('\\\\', '\\')).toContain('\\x07\\u202e');
  });
});

describe.each(named(tools))('law 8: %s', (_, tool) => {
  const fails = (called: Called): void => {
    expect(called.isError).toBe(true);
    expect(called.details['error']).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) as string });
    expect(called.text).not.toMatch(/\n\s+at |node:internal|undefined|\[object/);
  };

  test.each([
    [undefined],
    [null],
    ['a string'],
    [[]],
    [{}],
    [{ path: 7, command: 7, pattern: 7 }],
    [{ surplus: true }],
    [{ path: '\0', command: 'true\0', pattern: '(', workspace: 'local' }],
  ])('%j is an answer', async (input) => {
    const here = place(tool.dialect);
    const called = await here.call(tool.tool, input as object);
    // ls needs no field at all, and a call without arguments is one without fields.
    if (tool.tool !== 'ls' || (input && JSON.stringify(input) !== '{}')) fails(called);
  });

  test('what is not there, what is no file', async () => {
    if (tool.pathField === undefined) return;
    const here = place(tool.dialect);
    execFileSync('mkfifo', [join(here.folder, 'pipe')]);
    const ask = (name: string): Promise<Called> => {
      const input = tool.ask(here.folder, name);
      const path = tool.dialect === 'coder' ? join(here.folder, name) : name;
      return here.call(tool.tool, { ...input, [tool.pathField as string]: path });
    };
    fails(await ask('nothing-of-that-name'));
    fails(await ask('pipe'));
  });
});

describe.each(named(tools))('law 9: %s', (_, tool) => {
  test('nothing is changed', async () => {
    const here = place(tool.dialect);
    here.write('d/file.txt', prose);
    const look = (): unknown =>
      ['.', 'd'].map((folder) =>
        readdirSync(join(here.folder, folder)).map((name) => {
          const { mtimeMs, size, ino } = statSync(join(here.folder, folder, name));
          return { name, mtimeMs, size, ino };
        }),
      );
    const before = look();
    await here.call(tool.tool, tool.ask(here.folder, 'd/file.txt'));
    expect(look()).toEqual(before);
  });
});

describe.each(named(tools.filter(({ pathField }) => pathField !== undefined)))('law 10: %s', (_, tool) => {
  test('nothing outside the roots is shown', async () => {
    const outside = place(tool.dialect);
    const secret = outside.write('secret.txt', 'TOPSECRET\n');
    const here = place(tool.dialect);
    symlinkSync(secret, join(here.folder, 'link'));
    symlinkSync(outside.folder, join(here.folder, 'door'));
    const typed = ['link', 'door/secret.txt', 'door', secret, outside.folder, '../../etc/passwd'];
    for (const path of typed) {
      const absolute = path.startsWith('/') || tool.dialect !== 'coder' ? path : join(here.folder, path);
      const called = await here.call(tool.tool, {
        ...tool.ask(here.folder, 'x'),
        [tool.pathField as string]: absolute,
      });
      expect(called.text).not.toMatch(/TOPSECRET|root:/);
      expect(called.text.replaceAll(path, '')).not.toContain('secret.txt');
    }
  });
});

describe.each(named(tools))('law 11: %s', (_, tool) => {
  test('a call can be cancelled', async () => {
    const here = place(tool.dialect);
    here.write('file.txt', prose);
    const called = await here.call(tool.tool, tool.ask(here.folder, 'file.txt'), AbortSignal.abort());
    expect(called).toMatchObject({ isError: true, details: { error: { code: 'CANCELLED' } } });
  });
});

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
    const { pages } = await follow(reader('pi'), giant);
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
  async 'zed read_file 4'() {
    const { pages } = await follow(reader('zed'), giant);
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
  async 'zdx read 1'() {
    expect(json(await firstOf('zdx', giant))['data']).toMatchObject({
      content: `before\n${'g'.repeat(500)}\nafter\n`,
      lines_shown: 3,
      truncated: false,
    });
  },
  async 'zdx read 4'() {
    const { pages } = await follow(reader('zdx'), numbered(1, 4500));
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
  async 'zdx read 7'() {
    const content = 'a\x1b[0m\u202e\u200b\r\n';
    expect(json(await firstOf('zdx', content))['data']).toMatchObject({ content });
  },
  async 'zdx bash 1'() {
    const { text } = await place('zdx').call('bash', { command: `yes 'a line' | head -c 60000` });
    const { data } = JSON.parse(text) as { data: { stdout: string } };
    expect(data.stdout).toBe('a line\n'.repeat(10_000).slice(0, 51_200));
  },
  async 'zdx bash 4'() {
    const { text } = await place('zdx').call('bash', { command: 'seq 20000' });
    const { data } = JSON.parse(text) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ stdout_truncated: true, stderr_truncated: false });
    expect(readFileSync(data['stdout_file'] as string, 'utf8')).toBe(numbered(1, 20_000));
  },
  async 'zdx bash 7'() {
    const { text } = await place('zdx').call('bash', { command: `printf 'a\\033[0m\\r\\n'` });
    expect(JSON.parse(text)).toMatchObject({ data: { stdout: 'a\x1b[0m\r\n' } });
  },
  'coder read_file 1': () => coderCuts('read_file'),
  'coder read_file 4': () => coderRefuses('read_file'),
  'coder coder_workspace_read_file 1': () => coderCuts('coder_workspace_read_file'),
  'coder coder_workspace_read_file 4': () => coderRefuses('coder_workspace_read_file'),
};

const coderReader = (name: string): Reader =>
  readers.find(({ dialect, tool }) => dialect === 'coder' && tool === name) as Reader;

async function coderCuts(name: string): Promise<void> {
  const tool = coderReader(name);
  const { pages } = await follow(tool, giant);
  expect(json(pages[0] as Called)).toEqual({
    content: `1\tbefore\n2\t${'g'.repeat(1024)}... [truncated]\n3\tafter`,
    file_size: Buffer.byteLength(giant),
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

  test('every declared one is held to, and none is held to that is not declared', () =>
    expect(Object.keys(departures).toSorted()).toEqual(declared.toSorted()));

  test.each(Object.entries(departures))('%s', (_, hold) => hold());
});
