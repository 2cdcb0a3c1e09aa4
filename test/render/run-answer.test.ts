/** Whole answers to commands: the output, how the command ended, what was left out. */

import { expect, test } from 'vitest';
import { callsOf, wording } from '../../src/render/notices.ts';
import { runAnswer, type RunStyle } from '../../src/render/answers.ts';
import type { RunResult } from '../../src/types/result.ts';
import { excerptOf, runResult, runStream } from '../support/results.ts';

const text = (result: RunResult, style?: RunStyle): string => {
  const [block] = runAnswer(result, wording, style).content;
  return block?.type === 'text' ? block.text : '';
};

test('an output', () => {
  expect(runAnswer(runResult('\x1b[1mok\x1b[0m\n'), wording)).toEqual({
    content: [{ type: 'text', text: 'ok\n' }],
    details: {
      exitCode: 0,
      timedOut: false,
      cancelled: false,
      output: { totals: { bytes: 11, lines: 1 } },
      limits: { lines: 2_000, bytes: 51_200 },
    },
    isError: false,
  });
  expect(text(runResult(''))).toBe('(no output)');
});

test.each<[Partial<RunResult>, string, string]>([
  [{ exitCode: 3 }, 'Command exited with code 3', 'EXIT'],
  [{ signal: 'SIGKILL' }, 'Command was ended by signal SIGKILL', 'EXIT'],
  [{ timedOut: true, timeout: 5 }, 'Command timed out after 5 seconds', 'TIMEOUT'],
  [{ cancelled: true, timedOut: true }, 'Command was cancelled', 'CANCELLED'],
])('%j is said below the output, and is an error', (over, sentence, code) => {
  const { exitCode: _, ...ended } = runResult('half a line');
  const answer = runAnswer({ ...ended, ...over }, wording);
  expect(answer.content).toEqual([{ type: 'text', text: `half a line\n${sentence}` }]);
  expect([answer.isError, answer.details['error']]).toEqual([true, { code, message: sentence }]);
  expect(text({ ...ended, ...over, streams: [] })).toBe(sentence);
});

test('a timeout that was capped is said', () => {
  const said = '[timeout is in seconds: 180000 was capped at 600]';
  expect(text({ ...runResult('a\n'), timeout: 600, capped: 180_000 })).toBe(`a\n${said}`);
  expect(text({ ...runResult(''), timeout: 600, capped: 180_000 })).toBe(said);
});

test('a cut output names its file and the next call', () => {
  const spill = { url: 'artifact://1', path: '/state/1.log', bytes: 9_000, capped: false };
  const excerpt = excerptOf('y\nz\n', {
    parts: [
      [
        { no: 8, start: 70, end: 72, text: 'y\n', role: 'asked' },
        { no: 9, start: 72, end: 74, text: 'z\n', role: 'asked' },
      ],
    ],
    span: { start: 70, end: 74 },
    cutBy: 'lines',
    next: { kind: 'tail', lines: 2, before: 70 },
  });
  const stream = runStream('', { excerpt, bytes: 74, lines: 9, truncated: true, spill });
  const answer = runAnswer(runResult(stream), wording);
  expect(answer.content).toEqual([
    {
      type: 'text',
      text: 'y\nz\n[Showing lines 8-9 of 9. Full output: /state/1.log. Use artifact://1:-2@70 to continue backwards]',
    },
  ]);
  expect(answer.details['output']).toEqual({
    totals: { bytes: 74, lines: 9 },
    truncation: { by: 'lines', shown: { lines: [[8, 9]], bytes: [70, 74] }, next: 'artifact://1:-2@70' },
    artifact: 'artifact://1',
    fullOutputPath: '/state/1.log',
  });
  expect(text(runResult({ ...stream, spill: { ...spill, capped: true, bytes: 72 } }))).toContain(
    '(its first 72 B)',
  );
});

test('each of two streams is named where it was cut', () => {
  const excerpt = excerptOf('a\n', { cutBy: 'lines', totals: {} });
  const stderr = runStream('', { name: 'stderr', excerpt, lines: 9, bytes: 20, truncated: true });
  const stdout = runStream('out\n', { name: 'stdout' });
  expect(text({ ...runResult(''), streams: [stdout, stderr] })).toBe(
    'out\na\n[Showing line 1 of 9 of stderr. The full output could not be kept]',
  );
});

test('a binary output is not shown', () => {
  expect(text(runResult(runStream('\0\0', { binary: true })))).toBe(
    '[The output is binary (2 B) and is not shown. The full output could not be kept]',
  );
});

test('background processes are told, except after a timeout or cancel', () => {
  const background = { ended: 2, left: 0 };
  const said = '[2 processes left in the background ended with the command]';
  expect(text(runResult('a\n', { background }))).toBe(`a\n${said}`);
  expect(text(runResult('a\n', { background, timedOut: true }))).toBe(
    'a\nCommand timed out after 120 seconds',
  );
  expect(text(runResult('', { background: { ended: 0, left: 1 }, cancelled: true }))).toBe(
    "Command was cancelled\n[1 of the command's processes could not be ended]",
  );
});

test('a style sets notices apart, the outcome above or below', () => {
  const background = { ended: 1, left: 0 };
  const said = '[1 process left in the background ended with the command]';
  const failed = 'Command exited with code 3';
  const styles = (output: string): string[] =>
    (['', '\n'] as const).flatMap((gap) =>
      (['above', 'below'] as const).map((outcome) =>
        text(runResult(output, { background, exitCode: 3 }), { notices: 'each', gap, outcome }),
      ),
    );
  expect(styles('a\n')).toEqual([
    `a\n${failed}\n${said}`,
    `a\n${said}\n${failed}`,
    `a\n\n\n${failed}\n\n${said}`,
    `a\n\n\n${said}\n\n${failed}`,
  ]);
  expect(styles('a')).toEqual([
    `a\n${failed}\n${said}`,
    `a\n${said}\n${failed}`,
    `a\n\n${failed}\n\n${said}`,
    `a\n\n${said}\n\n${failed}`,
  ]);
  expect(styles('')[2]).toBe(`${failed}\n\n${said}`);
  const spaced: RunStyle = { notices: 'together', gap: '\n', outcome: 'below' };
  expect([text(runResult('a\n'), spaced), text(runResult(''), spaced)]).toEqual(['a\n', '(no output)']);
  expect(text(runResult('', { background }), spaced)).toBe(said);
});

test('a cut last line says which part is shown', () => {
  const cut = (over: object): string => {
    const line = { no: 9, start: 70, end: 170, text: `${'z'.repeat(99)}\n`, role: 'asked', ...over } as const;
    const excerpt = excerptOf('', {
      parts: [[line]],
      span: { start: 70, end: 170 },
      oversized: { start: 20, bytes: 150 },
      cutBy: 'line',
    });
    const unkept = { code: 'LIMIT', message: 'The disk is full.' };
    return text(runResult(runStream('', { excerpt, bytes: 170, lines: 9, unkept } as never)))
      .split('\n')
      .at(-1) as string;
  };
  expect(cut({ cut: 'slice' })).toBe('[Showing last 100 B of line 9 (line is 150 B). The disk is full]');
  expect(cut({})).toBe('[Showing line 9 of 9 (50 KiB limit). The disk is full]');
});

test('the facts of a command and of its streams', () => {
  const spill = { url: 'artifact://1', path: '/1.log', bytes: 5, capped: true, unshared: 'Redis is away' };
  const unkept = { code: 'LIMIT', message: 'No room' } as const;
  const { exitCode: _, ...ended } = runResult('');
  const result: RunResult = {
    ...ended,
    signal: 'SIGTERM',
    background: { ended: 0, left: 2 },
    streams: [
      runStream('a\n', { name: 'stdout', spill }),
      runStream('\0', { name: 'stderr', binary: true, unkept }),
    ],
  };
  const { details } = runAnswer(result, wording);
  expect(details).toMatchObject({
    signal: 'SIGTERM',
    timedOut: false,
    cancelled: false,
    background: { ended: 0, left: 2 },
    error: { code: 'EXIT', message: 'Command was ended by signal SIGTERM' },
  });
  expect(details).toEqual(expect.not.objectContaining({ exitCode: expect.anything() }));
  expect(details['stdout']).toEqual({
    totals: { bytes: 2, lines: 1 },
    artifact: 'artifact://1',
    fullOutputPath: '/1.log',
    capped: true,
    unshared: 'Redis is away',
  });
  expect(details['stderr']).toEqual({ totals: { bytes: 1, lines: 1 }, binary: true, unkept });
  expect(runAnswer(runResult('a\n'), wording).details).toEqual(
    expect.not.objectContaining({ notices: expect.anything() }),
  );
  expect(runAnswer(runResult('a\n', { background: { ended: 1, left: 0 } }), wording).details).toMatchObject({
    background: { ended: 1, left: 0 },
  });
});

test('success has no error code, unkept output no next call', () => {
  const { exitCode: _, ...ended } = runResult('a\n');
  expect(runAnswer(ended, wording).isError).toBe(false);
  const next = { kind: 'tail', lines: 2, before: 70 } as const;
  const excerpt = excerptOf('a\n', { cutBy: 'bytes', next, totals: {} });
  const { content, details } = runAnswer(runResult(runStream('', { excerpt, bytes: 9, lines: 3 })), wording);
  expect(content).toEqual([
    { type: 'text', text: 'a\n[Showing line 1 of 3 (50 KiB limit). The full output could not be kept]' },
  ]);
  expect(details['output']).toEqual({
    totals: { bytes: 9, lines: 3 },
    truncation: { by: 'bytes', shown: { lines: [[1, 1]], bytes: [0, 2] } },
  });
});

test('both ends of an output have a gap in between', () => {
  const line = (no: number, part: string) =>
    ({ no, start: no, end: no + 2, text: part, role: 'asked' }) as const;
  const excerpt = excerptOf('', { parts: [[line(1, '\x1b[1ma\n')], [line(9, 'z\n')]], totals: {} });
  const streams = [runStream('', { excerpt })];
  expect(text(runResult('', { streams }))).toBe('a\n…\nz\n');
  expect(text(runResult('', { streams, display: 'stream' }))).toBe('\x1b[1ma\n…\nz\n');
});

test('several notices in one bracket keep their calls', () => {
  const spill = { url: 'artifact://1', path: '/1.log', bytes: 9, capped: false };
  const next = { kind: 'tail', lines: 2, before: 70 } as const;
  const stream = runStream('', { excerpt: excerptOf('a\n', { cutBy: 'lines', next, invalid: 1 }), spill });
  const { details } = runAnswer(runResult(stream), wording, {
    notices: 'together',
    gap: '',
    outcome: 'above',
  });
  const [notice] = details['notices'] as readonly { kind: string }[];
  expect(notice?.kind).toBe('output');
  expect(callsOf(notice as object)).toEqual(['artifact://1:-2@70']);
});

test('details name the first and last line of each folded run', () => {
  const folded = { count: 3, url: 'artifact://1' };
  const { excerpt } = runStream('a\nb\nc\n');
  const [one, two, three] = excerpt.parts.flat();
  const parts = [[{ ...one, folded }, two, { ...three, no: undefined, folded }]] as never;
  const details = (stream: typeof excerpt): unknown =>
    runAnswer(runResult(runStream('', { excerpt: stream })), wording).details['output'];
  expect(details({ ...excerpt, parts })).toMatchObject({
    folded: [
      [1, 3],
      [1, 3],
    ],
  });
  expect(details(excerpt)).toMatchObject({ folded: undefined });
});
