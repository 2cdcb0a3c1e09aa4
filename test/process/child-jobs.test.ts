/** What jobs of one child have in common, in a process that answers with what it sees. */

import { spawnSync } from 'node:child_process';
import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { encodeFrame, readFrame } from '../../src/text/frames.ts';

/** Answers with all of the memory of the body, and with how connections fail. */
const ANSWER = `
const [sockets, names] = ['net', 'dns'].map((name) => process.getBuiltinModule(name));
const ways = [() => sockets.connect(9), () => names.lookup('localhost', () => {}), () => names.resolve('localhost', () => {})];
const failure = (way) => { try { way(); } catch (error) { return error.message; } };
const network = () => [...ways.map(failure), typeof fetch, typeof WebSocket, typeof EventSource];
await answerJobs(1000, (head, body) => ({ reply: network(), body: Buffer.from(body.buffer) }), 8);
`;

let code: string;

beforeAll(async () => {
  const bundle = await rolldown({ input: 'src/process/child-jobs.ts', platform: 'node' });
  const { output } = await bundle.generate();
  await bundle.close();
  code = output[0].code + ANSWER;
});

/** The answers to jobs with these bodies. */
function answers(...bodies: readonly string[]): { readonly head: unknown; readonly body: string }[] {
  const input = Buffer.concat(bodies.flatMap((body) => encodeFrame(0, Buffer.from(body))));
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { input });
  expect(stderr.toString()).toBe('');
  let at = 0;
  const fill = (target: Uint8Array): boolean => {
    at += target.length;
    return stdout.copy(target, 0, at - target.length, at) === target.length;
  };
  return bodies.map(() => {
    const { head, body = '' } = readFrame(1_000, fill) ?? {};
    return { head, body: String(body) };
  });
}

test('a small body has nothing of earlier ones behind it', () => {
  const [, ...seen] = answers('a', 'bbbbbbbb', 'cc', 'e'.repeat(9), 'ddddd', 'ff').map(({ body }) => body);
  const shared = ['bbbbbbbb', 'cc', 'ddddd', 'ff'].map((body) => body.padEnd(8, '\0'));
  expect(seen).toEqual(shared.toSpliced(2, 0, 'e'.repeat(9)));
});

test('a job has no network', () => {
  const refusal = 'there is no network here';
  expect(answers('')[0]?.head).toEqual([refusal, refusal, refusal, 'undefined', 'undefined', 'undefined']);
});
