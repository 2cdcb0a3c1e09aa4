import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logMap } from '../../support/logs.ts';
import { reader } from '../../support/reader.ts';
import { textOf, workspace } from '../../support/workspace.ts';

const request = (no: number): string =>
  `2026-11-29T10:${String(Math.floor(no / 60) % 60).padStart(2, '0')}:${String(no % 60).padStart(2, '0')}Z INFO GET /items/${no} 200 in ${no % 900}ms id=${(no * 7919).toString(16)}`;

/** `lines` requests, and by line number (1-based) what stands there instead. */
const server = (lines: number, others: Readonly<Record<number, string>>): string =>
  Array.from({ length: lines }, (_, at) => `${others[at + 1] ?? request(at)}\n`).join('');

test('a log shows its ends, its shapes and what failed', async () => {
  const { write, read } = reader();
  write(
    'server.log',
    server(5_000, { 1_203: 'ERROR no connection to db-3', 4_100: 'ERROR no connection to db-1' }),
  );
  const text = await read('server.log');
  expect(Buffer.byteLength(text)).toBeLessThan(3_000);
  expect(text).toContain(`1|${request(0)} ... 4998 lines like this\n2|${request(1)}\n`);
  expect(text).toContain(
    '\n6-1202|...\n1203|ERROR no connection to db-3 ... 2 lines like this\n1204-4099|...\n',
  );
  expect(text).toContain('\n4100|ERROR no connection to db-1\n');
  expect(text).toContain(`\n5000|${request(4_999)}\n`);
  expect(text).toContain(
    '[A log of 5000 lines of 2 shapes, 2026-11-29T10:00:00Z to 2026-11-29T10:23:19Z; 2 lines of 1 shape report errors, warnings or failures]',
  );
  expect(text).toMatch(
    /lines elided; re-read needed ranges, e\.g\. server\.log:6\.\.1202,.* or all of it: server\.log:1\.\.\]$/,
  );
});

test('a map without the last lines of a log does not say when it ends', async () => {
  const { write, with: made } = workspace();
  write('a.log', server(5_000, {}));
  const answer = await made({ limits: { lines: 3 } })
    .tool('read')
    .run({ path: 'a.log' });
  expect(textOf(answer)).toContain('[A log of 5000 lines of 1 shape; none reports');
});

test.each(['utf-16le', 'utf-16be'])('a log in %s has the same map', async (encoding) => {
  const { write, read } = reader();
  const text = server(900, { 77: 'WARN zu lang: Grüße', 500: ' ✗ sorts' });
  write('a.log', text);
  const stored = Buffer.from(`\uFEFF${text}`, 'utf16le');
  write('b.log', encoding === 'utf-16le' ? stored : stored.swap16());
  const expected = (await read('a.log')).replaceAll('a.log', 'b.log');
  expect(expected).toContain('2 lines of 2 shapes report errors');
  expect((await read('b.log')).replace(/\[Decoded from UTF-16[BL]E\]\n/, '')).toBe(expected);
});

test('every line that is not shown can be read by the ranges of the answer', async () => {
  const { write, read, details } = reader();
  write('a.log', server(400, { 77: 'WARN slow disk' }));
  const { summary } = (await details('a.log')) as { summary: { elidedSpans: [number, number][] } };
  const hidden = summary.elidedSpans.map(([from, to]) => `${from}..${to}`).join(',');
  const both = `${await read('a.log')}\n${await read(`a.log:${hidden}`)}`;
  for (let no = 1; no <= 400; no += 1) expect(both).toContain(`${no}|`);
});

test.each([
  ['5 errors', 1],
  ['0 errors', 0],
  ['no warnings', 0],
  ['failed: 0', 0],
  ['FAILED tests/test_a.py::test_b', 1],
  ['src/errors/index.ts compiled', 0],
  ['error_handler.go compiled', 0],
  ['error_code=5 of job 7', 1],
  ['test mod7::error_cases::test_failure_7 ... ok', 0],
  ['test mod7::test_7 ... FAILED', 1],
  ['tests/test_errors_7.py::test_failure_7 PASSED  [  7%]', 0],
  [' ✓ throws an error (5 ms)', 0],
  ['ok 7 - fails early', 0],
  ['Tests:  1 failed, 7 passed', 1],
  ['a.service: Main process exited, code=exited, status=1/FAILURE', 1],
  ['a.service: Main process exited, code=exited, status=0/SUCCESS', 0],
  ['status=connection_refused', 1],
  ['E1129 10:00:00 lost a node', 1],
  ['I1129 10:00:00 found a node', 0],
  ['10.0.0.7 - - "GET / HTTP/1.1" 503 12', 1],
  ['10.0.0.7 - - "GET / HTTP/1.1" 200 503', 0],
  ['10:00:00 GET /items/7 502 8ms', 1],
  ['\u001B[31merror\u001B[39m in a', 1],
  [' ✗ sorts', 1],
  ['TypeError: x is no function', 1],
  ['com.acme.v2.BootException: no port', 1],
  ['job-17-failed', 1],
  ['Segmentation fault (core dumped)', 1],
  [' ✕ sorts 5 ms', 1],
  [' × sorts 5ms', 1],
  ['11-29 10:00:00.000  123  456 E Runtime: boom', 1],
  ['E/Runtime( 12): boom', 1],
  ['cat: x: No such file or directory', 1],
  ['Error: Cannot find module x', 1],
  ['ERROR: 0 bytes written', 1],
  ['[crit] 12#0: no more connections', 1],
  ['< HTTP/1.1 502 Bad Gateway', 1],
  ['worker exited with code 3', 1],
  ['worker exited with code 0', 0],
  ['{"level":50,"msg":"lost it"}', 1],
  ['{"level":30,"error":null,"msg":"done"}', 0],
  ['done failed=0 unreachable=0 err=<nil>', 0],
  [`${request(1)} ${'word '.repeat(300)} level=error`, 1],
])('%s: reports %i', async (line, reports) => {
  const { notice } = await logMap('a.log', server(60, { 30: line }));
  expect(notice).toMatchObject({ lines: 60, reports });
});

test('reports that differ in a word are told apart, and equal ones are counted', async () => {
  const others = Object.fromEntries([10, 20, 30].map((no) => [no, `job ${no} state=worker_failed`]));
  const { notice, text } = await logMap('a.log', server(60, { ...others, 40: 'job 40 state=worker_ready' }));
  expect(notice).toMatchObject({ reports: 3, reportShapes: 1 });
  expect(text).toContain('10|job 10 state=worker_failed ... 3 lines like this\n');
});

test('reports without a place are named with the call that reads them', async () => {
  const words = Array.from(
    { length: 200 },
    (_, at) => `ERROR ${'abcdefghijklmnopqrst'.slice(at % 20)}${'xyz'.repeat(at % 9)} lost it`,
  );
  const others = Object.fromEntries(words.map((line, at) => [at * 20 + 7, line]));
  const { notice, text } = await logMap('a.log', server(4_100, others), 3_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000);
  expect(notice).toMatchObject({
    reports: 200,
    use: expect.stringMatching(/^a\.log:\d+(,\d+){19}$/) as string,
  });
});

test('what failed is shown before all of the ends of a small map', async () => {
  const wide = server(400, {}).replaceAll('\n', ` ${'word '.repeat(60)}\n`);
  const { text, notice } = await logMap('a.log', `${wide}FATAL lost\n${wide}`, 1_500);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_500);
  expect(text).toContain('\n6-400|...\n401|FATAL lost\n402-');
  expect(text).toMatch(/^1\|[^]*\n801\|/);
  expect(notice).toMatchObject({ reports: 1, hidden: 0 });
});

test('levels of numbers tell a log without times', async () => {
  const lines = Array.from({ length: 300 }, (_, no) => `{"level":${no === 99 ? 50 : 30},"time":${no}}\n`);
  const { text } = await logMap('a.log', lines.join(''));
  expect(text).toContain('\n100|{"level":50,"time":99}\n');
});

test('a build whose only failure is its last line is a log', async () => {
  const lines = Array.from({ length: 900 }, (_, no) => `   Compiling part${no} v0.${no % 50}.1\n`).join('');
  const { notice } = await logMap('a.log', `Updating index\n${lines}error: could not compile \`app\``);
  expect(notice).toMatchObject({ lines: 902, reports: 1 });
});

test('the span of a log has the days of its times', async () => {
  const lines = Array.from(
    { length: 300 },
    (_, no) => `10.0.0.1 - - [10/Oct/2026:13:00:${10 + (no % 50)} +0000] "GET /a/${no} HTTP/1.1" 200 5\n`,
  );
  const { notice } = await logMap('a.log', lines.join(''));
  expect(notice).toMatchObject({ times: ['10/Oct/2026:13:00:10', '10/Oct/2026:13:00:59'] });
});

test('lines without times are a log only by what they report', async () => {
  const plain = Array.from(
    { length: 8_000 },
    (_, no) => ['compiled', 'linked', 'copied'][no % 3] + ` part ${no}\n`,
  ).join('');
  await expect(logMap('build.log', plain)).rejects.toThrow('no log');
  expect((await logMap('a.txt', `${plain}failed to copy\n`)).notice).toMatchObject({ reports: 1 });
});

test.each([
  ['numbered lines', Array.from({ length: 3_000 }, (_, no) => `line ${no}\n`).join('')],
  [
    'prose',
    Array.from(
      { length: 400 },
      (_, no) => `${'word '.repeat(no % 17)}${no.toString(36)}${'abcdefghij'.slice(no % 10)} said\n`,
    ).join(''),
  ],
])('%s are no log', async (_, content) => {
  const { write, read } = reader();
  write('a.txt', content);
  expect(await read('a.txt')).not.toContain('A log of');
});

test('long and invalid lines are shortened, and CRLF is not shown', async () => {
  const long = `INFO ${'ä'.repeat(5_000)}`;
  const { text } = await logMap('a.log', server(100, { 3: long }).replaceAll('\n', '\r\n'));
  expect(text).toContain(`\n3|INFO ${'ä'.repeat(295)} ...\n`);
  expect(text).not.toContain('\r');
});

test('an edit may name the lines of a map as they are stored', async () => {
  const { W, write, with: walled } = workspace();
  write('a.log', server(400, { 77: 'WARN slow disk' }).replaceAll('\n', '\r\n'));
  const oriel = walled({ display: 'hashline' });
  const { details } = await oriel.tool('read').run({ path: 'a.log' });
  const lines = await oriel.session.snapshots.lines(join(W, 'a.log'), details['snapshot'] as string, 77, 77);
  expect([...lines]).toEqual([[77, 'WARN slow disk\r\n']]);
});

test('of a huge log a part is counted, and it says so', { tags: 'slow' }, async () => {
  const { write, read } = reader();
  const part = server(50_000, {});
  const all = [
    part.repeat(6),
    'ERROR in the middle\n'.repeat(60_000),
    part.repeat(16),
    'FATAL at the end\n',
  ].join('');
  write('big.log', all);
  expect(Buffer.byteLength(all)).toBeGreaterThan(64 << 20);
  const text = await read('big.log');
  expect(text).toContain('. Counted in its beginning, its end and samples between; ');
  expect(text).toContain('\n1160001|FATAL at the end\n');
  expect(text).toContain('|ERROR in the middle ... ');
});
