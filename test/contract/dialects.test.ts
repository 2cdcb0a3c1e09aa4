/**
 * The laws of an answer, run against every tool of every dialect that does not declare to depart from them.
 *
 * @module-tag slow
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { dialectOf } from '../../src/dialects/dialect-table.ts';
import { dialectNames, type OrielOptions } from '../../src/index.ts';
import { type Called, numbered, type Place, place, wideLines } from '../support/dialect.ts';
import { keeping } from './departures.ts';
import { follow, oversized } from './follow.ts';
import { nameOf, readers, type ToolCase, tools } from './tools.ts';

const named = <T extends ToolCase>(list: readonly T[]): [string, T][] =>
  list.map((tool) => [nameOf(tool), tool]);

test('every tool of every dialect is here', () => {
  const declared = dialectNames.flatMap((dialect) =>
    dialectOf(dialect).tools.map(({ name }) => `${dialect} ${name}`),
  );
  expect(tools.map(nameOf).toSorted()).toEqual(declared.toSorted());
});

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
      { numRuns: 15 },
    );
  });

  test.runIf(keeping(2)(tool))('a final newline begins no further line', async () => {
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
  test('the notice is the last line, the end promises nothing', async () => {
    const { pages } = await follow(tool, prose);
    for (const { text } of pages.slice(0, -1))
      expect(text.split('\n').at(-1)).toMatch(/^\[.* to continue\]$/);
    expect(pages.at(-1)?.text).not.toContain('to continue]');
  });
});

describe('law 4: lists and outputs', () => {
  /** Follows the offsets of a list from its first answer to its last; the lines, without notices. */
  async function list(tool: string, input: Record<string, unknown>): Promise<string[]> {
    const here = place('oriel');
    for (let i = 0; i < 95; i += 1) here.write(`f${i}.txt`, `match ${i}\nother\n`);
    const lines: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { text, details } = await here.call(tool, { ...input, offset, limit: 10 });
      const shown = text.split('\n');
      const notice = details['notices'] ? shown.pop() : undefined;
      lines.push(...shown);
      const next = /Use offset=(\d+) to continue/.exec(notice ?? '')?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    return lines;
  }

  test.each([
    ['grep', { pattern: 'match' }, (i: number) => `f${i}.txt:1: match ${i}`],
    ['find', { pattern: '*.txt' }, (i: number) => `f${i}.txt`],
    ['ls', {}, (i: number) => `f${i}.txt`],
  ] as const)('oriel %s: following the notices yields everything once', async (tool, input, line) => {
    const lines = await list(tool, input);
    const all = Array.from({ length: 95 }, (_, i) => line(i));
    expect(lines.toSorted()).toEqual(all.toSorted());
  });
});

describe.each(named(readers.filter(keeping(1))))('law 1: %s', (_, tool) => {
  test('an oversized line is sliced, with every byte once', async () => {
    const { bodies, pages } = await follow(tool, oversized);
    expect(bodies.join('')).toBe(oversized);
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
    'one oversized line': 'x'.repeat(3 << 20),
    'very many lines': '\n'.repeat(1 << 20),
    'nothing but escapes': '\x1b'.repeat(1 << 20),
    'invalid bytes': Buffer.alloc(1 << 20, 0xff),
    'many wide lines': wideLines(30_000, 100),
    'a binary': Buffer.alloc(1 << 20),
  };
  /** Of the text; JSON may write a character in six bytes. */
  const { limits } = dialectOf(tool.dialect);
  const most =
    tool.tool === 'bash' && tool.dialect.startsWith('zdx')
      ? limits.bytes
      : Math.max(limits.bytes, limits.windowMax);
  const written = tool.dialect.startsWith('zdx') || tool.dialect === 'coder' ? 6 : 1;

  // `find` and `ls` show nothing of it.
  test.runIf(!/^(?:find|ls)$/.test(tool.tool)).each(Object.entries(hostile))('%s', async (_name, content) => {
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

describe.each(named(readers.filter((tool) => tool.dialect !== 'zed' && keeping(2)(tool))))(
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

  test('CRLF stays, marks go, UTF-16 is decoded, invalid bytes replaced', async () => {
    expect(await body('a\r\nb\r\n')).toBe('a\r\nb\r\n');
    expect(await body('\ufeffa\n')).toBe('a\n');
    expect(await body(Buffer.from('\ufeffgrüße\n', 'utf16le'))).toBe('grüße\n');
    expect(await body(Buffer.of(0x61, 0xe2, 0x82, 0x62, 0xff, 0x0a))).toBe('a\ufffdb\ufffd\n');
  });

  test('what was decoded or replaced is in the details', async () => {
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
    if (codeOf(called) === 'BAD_INPUT') await namesItsCall(here, tool.tool, called);
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

function codeOf({ details }: Called): unknown {
  return (details['error'] as { code?: unknown } | undefined)?.code;
}

/** The text names fields that the same tool accepts. */
async function namesItsCall(here: Place, tool: string, { text, details }: Called): Promise<void> {
  const { next } = details['error'] as { next?: string };
  if (next === undefined) return expect(text).toMatch(/\bgive\b|\bUse\b/);
  const shown = /^\{"(?:ok|error)"/.test(text)
    ? JSON.stringify(JSON.parse(text)).replaceAll('\\"', '"')
    : text;
  expect(shown).toContain(`Use ${next}.`);
  const again = await here.call(tool, JSON.parse(next) as object);
  expect(codeOf(again)).not.toBe('BAD_INPUT');
}

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
