// Readers of other dialects: the lines that answers show, and the next call; for `bench/tasks.mjs` also their inputs.

/** `{ [line]: text }` as `[no, text]` pairs from line `from` on. */
const numbered = (lines, from) => lines.map((line, i) => [from + i, line]);

const linesOf = (text) => text.replace(/\n$/, '').split('\n');

const offsetIn = (text, input) => {
  const offset = /Use offset=(\d+) to continue/.exec(text.slice(-300))?.[1];
  return offset && { ...input, offset: Number(offset) };
};

const pi = {
  dialect: 'pi@0.74',
  tool: 'read',
  lines: (text, { offset = 1 }) => numbered(linesOf(text.replace(/\n*\[[^\n]*\]$/, '\n')), offset),
  next: offsetIn,
};

const zed = {
  dialect: 'zed',
  tool: 'read_file',
  lines(text, { start_line: from = 1 }) {
    if (text.startsWith('[Outline of')) return [];
    return numbered(linesOf(text.replace(/^\[bytes [^\n]*\]\n/, '')), from);
  },
  next: () => undefined,
};

const zdx = {
  dialect: 'zdx',
  tool: 'read',
  lines: (text) => (({ content, offset }) => numbered(linesOf(content), offset))(JSON.parse(text).data),
  next(text, input) {
    const { truncated, offset, lines_shown } = JSON.parse(text).data;
    return truncated ? { ...input, offset: offset + lines_shown } : undefined;
  },
};

const coder = {
  dialect: 'coder',
  tool: 'read_file',
  front: (no) => `${no}\t`,
  lines: (text) =>
    (JSON.parse(text).content ?? '').split('\n').map((line) => {
      const tab = line.indexOf('\t');
      return [Number(line.slice(0, tab)), line.slice(tab + 1)];
    }),
  /** After a refusal the number of lines is halved. */
  next(text, input) {
    const { error, lines_read, total_lines } = JSON.parse(text);
    if (error) return { ...input, limit: Math.max(1, Math.floor((input.limit ?? 2000) / 2)) };
    const offset = (input.offset ?? 1) + lines_read;
    return lines_read === 0 || offset > total_lines ? undefined : { ...input, offset };
  },
};

export const readers = { pi, zdx, coder };

const toTheEnd = ({ path }) => [{ path }];
const ranges =
  (name) =>
  ({ path, need }) =>
    need.map(({ from, to }) => ({ path, ...name(from, to) }));

/** `asks(task)`: the inputs in order; the pages of each are followed as its answers say. */
export const dialectReaders = {
  'pi@0.74, to the end': { ...pi, asks: toTheEnd },
  'pi@0.74, a call for each range': {
    ...pi,
    asks: ranges((from, to) => ({ offset: from, limit: to - from + 1 })),
    next: () => undefined,
  },
  'zed, as it comes, then a call for each range': {
    ...zed,
    asks: (task) => [...toTheEnd(task), ...ranges((from, to) => ({ start_line: from, end_line: to }))(task)],
  },
  'zdx, to the end': { ...zdx, asks: toTheEnd },
  'coder, to the end': {
    ...coder,
    asks: ({ directory, path }) => [{ path: `${directory}/${path}` }],
  },
};
