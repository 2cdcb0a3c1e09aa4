/** Every tool of every dialect, as the contract suite drives it: how to ask, what was shown, how to go on. */

import { join } from 'node:path';
import type { DialectName } from '../../src/index.ts';
import type { Called } from '../support/dialect.ts';

export interface Step {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

export interface ToolCase {
  readonly dialect: DialectName;
  readonly tool: string;
  /** A call about the file `name` (or the folder it is in) that succeeds. */
  ask(folder: string, name: string): Record<string, unknown>;
  /** Fields that take a path, for calls that must not leave the roots. */
  readonly pathField?: string;
}

/** A tool that shows the text of a file in pages. */
export interface Reader extends ToolCase {
  /** What was shown of the file, without numbers, headers and notices. */
  body(called: Called): string;
  /** What the answer says to call next, after `last`. */
  next(called: Called, last: Step): Step | undefined;
  /** A text that is shown in exactly `size` bytes, prefixes included. */
  exactly(size: number): string;
}

type Facts = Record<string, unknown>;

const said = ({ details }: Called): string[] =>
  ((details['notices'] as { text: string }[] | undefined) ?? []).map(({ text }) => `[${text}]`);

/** The text without the bracketed lines below it. */
function withoutNotices(called: Called): string {
  let { text } = called;
  for (const notice of said(called).toReversed()) {
    if (text.endsWith(notice)) text = text.slice(0, -notice.length).replace(/\]\n$/, ']');
  }
  return text;
}

/** A slice of a line ends without a line break; the one before the notice is not its own. */
function asStored(body: string, { details }: Called): string {
  const { shown } = (details['truncation'] ?? {}) as { shown?: { bytes: [number, number] } };
  const [start, end] = shown?.bytes ?? [0, Number.POSITIVE_INFINITY];
  return Buffer.byteLength(body) > end - start ? body.slice(0, -1) : body;
}

const json = ({ text }: Called): Facts => JSON.parse(text) as Facts;
const data = (called: Called): Facts => json(called)['data'] as Facts;
const number = (facts: Facts, name: string): number => facts[name] as number;

/** Lines of exactly 100 bytes. */
const lines = (size: number): string =>
  `${'x'.repeat(99)}\n`.repeat(Math.floor(size / 100)) + 'y'.repeat(size % 100);

const oriel: Reader = {
  dialect: 'oriel',
  tool: 'read',
  pathField: 'path',
  ask: (_, name) => ({ path: `${name}:raw` }),
  body: (called) => asStored(withoutNotices(called), called),
  next(called) {
    const path = /^\[.*Use (.+) to continue\]$/.exec(said(called).at(-1) ?? '')?.[1];
    return path === undefined ? undefined : { tool: 'read', input: { path } };
  },
  exactly: lines,
};

const pi: Reader = {
  dialect: 'pi',
  tool: 'read',
  pathField: 'path',
  ask: (_, path) => ({ path }),
  body: withoutNotices,
  next(called, { tool, input }) {
    const offset = /Use offset=(\d+) to continue\.?\]$/.exec(said(called).at(-1) ?? '')?.[1];
    return offset === undefined ? undefined : { tool, input: { ...input, offset: Number(offset) } };
  },
  exactly: lines,
};

/** A blank line stands before the notice. */
const published: Reader = {
  ...pi,
  dialect: 'pi@0.74',
  body(called) {
    const body = withoutNotices(called);
    return body !== called.text && body.endsWith('\n\n') ? body.slice(0, -1) : body;
  },
};

const current: Reader = { ...published, dialect: 'pi@1.6' };

const zed: Reader = {
  dialect: 'zed',
  tool: 'read_file',
  pathField: 'path',
  ask: (_, path) => ({ path, max_bytes: 262_144 }),
  body: (called) => withoutNotices(called).replace(/^\[bytes .*\]\n/, ''),
  next({ text }, { tool, input }) {
    const start = /^\[bytes .*; continue with start_byte=(\d+)\]\n/.exec(text)?.[1];
    return start === undefined ? undefined : { tool, input: { ...input, start_byte: Number(start) } };
  },
  exactly: lines,
};

const zdx: Reader = {
  dialect: 'zdx',
  tool: 'read',
  pathField: 'path',
  ask: (_, path) => ({ path }),
  body: (called) => data(called)['content'] as string,
  next(called, { tool, input }) {
    const facts = data(called);
    if (facts['truncated'] !== true) return undefined;
    return { tool, input: { ...input, offset: number(facts, 'offset') + number(facts, 'lines_shown') } };
  },
  exactly: lines,
};

const coder: Reader = {
  dialect: 'coder',
  tool: 'read_file',
  pathField: 'path',
  ask: (folder, name) => ({ path: join(folder, name) }),
  body: (called) => {
    const content = json(called)['content'] as string;
    return content === '' ? '' : `${content.replaceAll(/^\d+\t/gm, '')}\n`;
  },
  next(called, { tool, input }) {
    const facts = json(called);
    const offset = ((input['offset'] as number | undefined) ?? 1) + number(facts, 'lines_read');
    return offset > number(facts, 'total_lines') ? undefined : { tool, input: { ...input, offset } };
  },
  // "1\t" to "9\t" and "10\t…" before lines that are joined: 3 bytes a line, 4 from the tenth on, none at the end.
  exactly(size) {
    const whole: string[] = [];
    for (let left = size, no = 1; left > 0; no += 1) {
      const overhead = `${no}\t`.length + (no === 1 ? 0 : 1);
      const width = Math.min(100, left - overhead);
      whole.push('x'.repeat(width));
      left -= width + overhead;
    }
    return whole.join('\n');
  },
};

export const readers: readonly Reader[] = [
  oriel,
  pi,
  published,
  current,
  zed,
  zdx,
  { ...zdx, dialect: 'zdx@0.10' },
  coder,
  {
    ...coder,
    tool: 'coder_workspace_read_file',
    ask: (folder, name) => ({ ...coder.ask(folder, name), workspace: 'local' }),
  },
];

const search = (dialect: DialectName): ToolCase[] => [
  { dialect, tool: 'grep', pathField: 'path', ask: (_, path) => ({ pattern: '.', path }) },
  { dialect, tool: 'find', pathField: 'path', ask: () => ({ pattern: '*', path: '.' }) },
  { dialect, tool: 'ls', pathField: 'path', ask: () => ({ path: '.' }) },
];

const bash = (dialect: DialectName): ToolCase => ({
  dialect,
  tool: 'bash',
  ask: (_, name) => ({ command: `cat ${name}` }),
});

export const tools: readonly ToolCase[] = [
  ...readers,
  ...search('oriel'),
  bash('oriel'),
  ...search('pi'),
  bash('pi'),
  ...search('pi@0.74'),
  bash('pi@0.74'),
  ...search('pi@1.6'),
  bash('pi@1.6'),
  bash('zdx'),
  bash('zdx@0.10'),
];

/** `"pi read"` */
export const nameOf = ({ dialect, tool }: ToolCase): string => `${dialect} ${tool}`;
