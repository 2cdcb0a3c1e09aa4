/** What a hook answers in place of the own tools of an agent, and when it is silent. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HookAnswers } from '../../../src/faces/hook/hook-answers.ts';
import { useTestBuild } from '../../support/built.ts';
import { zip } from '../../support/zip.ts';

let root = '';
let answers: HookAnswers;
const cache = process.env['XDG_CACHE_HOME'];

beforeAll(() => {
  useTestBuild();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hook-')));
  process.env['XDG_CACHE_HOME'] = join(root, 'cache');
  mkdirSync(join(root, 'cache'), { mode: 0o700 });
  mkdirSync(join(root, 'project'));
  answers = new HookAnswers();
});

afterAll(async () => {
  await answers.close();
  if (cache === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cache;
  rmSync(root, { recursive: true });
});

function put(name: string, content: string | Uint8Array): string {
  const path = join(root, 'project', name);
  writeFileSync(path, content);
  onTestFinished(() => rmSync(path, { force: true }));
  return path;
}

interface Output {
  readonly updatedToolOutput?: {
    readonly file?: { readonly content: string };
    readonly stdout?: string;
    readonly cells?: unknown;
  };
  readonly updatedInput?: { readonly file_path: string };
  readonly additionalContext?: string;
  readonly permissionDecision?: string;
}

/** What is printed for an event; undefined if nothing is. */
async function ask(event: object, host = 'claude'): Promise<Output | undefined> {
  const text = JSON.stringify({ session_id: 's', cwd: join(root, 'project'), ...event });
  const printed = await answers.answer(host, text);
  if (printed === undefined) return undefined;
  return (JSON.parse(printed) as { hookSpecificOutput: Output }).hookSpecificOutput;
}

async function read(path: string, more: object = {}, input: object = {}): Promise<string | undefined> {
  const content = readFileSync(path, 'utf8');
  const file = { filePath: path, content, numLines: 1, startLine: 1, totalLines: 1 };
  const event = {
    hook_event_name: 'PostToolUse',
    tool_name: 'Read',
    tool_input: { file_path: path, ...input },
  };
  const found = await ask({ ...event, tool_response: { type: 'text', file }, ...more });
  return found?.updatedToolOutput?.file?.content;
}

const method = (i: number): string =>
  `  def step_${i}(self, x):\n${Array.from({ length: 12 }, (_, l) => `    x = x * ${i} - ${l}\n`).join('')}    return x\n`;
const code = (name = 'renew_lease'): string =>
  `${[0, 1, 2].map((k) => `class Part${k}:\n${Array.from({ length: 24 }, (_, i) => method(i)).join('\n')}`).join('\n')}\n\ndef ${name}(item):\n  """A lease is renewed before a third of its time is left."""\n  FIRST = item\n  return LAST\n`;
const said = (text: string): object => ({ words: { user: [text] } });

test('a long text becomes a map with what the conversation is about', async () => {
  const path = put('lease.py', code());
  const words = said('When is the lease renewed?');
  let map: string | undefined;
  // On a busy machine the parser may be loaded too late for the first answer.
  await expect.poll(async () => (map = await read(path, words))).toBeDefined();
  expect(map).toContain('FIRST = item');
  expect(map).toContain('return LAST');
  expect((map ?? '').length).toBeLessThan(code().length / 4);
  const call = JSON.parse(/such as (\{.*?\})\./.exec(map ?? '')?.[1] ?? '') as Record<string, unknown>;
  expect(call).toEqual({ file_path: path, offset: expect.any(Number), limit: expect.any(Number) });
});

test('a map shows the function of which the conversation has the name', async () => {
  const map = await read(put('named.py', code()), said('What does step_7 do?'));
  expect(map).toContain('x = x * 7 - 11');
  expect(map).not.toContain('x = x * 0 - 11');
});

test('ranges, short texts and second whole readings are left alone', async () => {
  const path = put('again.py', code());
  expect(await read(path, {}, { offset: 10, limit: 20 })).toBeUndefined();
  expect(await read(path)).toContain('[Map: ');
  expect(await read(path)).toBeUndefined();
  expect(await read(put('short.py', 'x = 1\n'))).toBeUndefined();
  const other = new HookAnswers();
  onTestFinished(() => other.close());
  const event = { hook_event_name: 'PostToolUse', tool_name: 'Read', session_id: 's' };
  const file = { filePath: path, content: code(), startLine: 1 };
  const again = { ...event, tool_input: { file_path: path }, tool_response: { type: 'text', file } };
  // Another helper, too.
  expect(await other.answer('claude', JSON.stringify(again))).toBeUndefined();
});

test('what is no event fails as a promise, which the helper waits for', async () => {
  for (const text of ['{', 'null']) await expect(answers.answer('claude', text)).rejects.toThrow();
});

test('a second hook that is asked about the same call changes nothing', async () => {
  const path = put('twice.py', code());
  expect(await read(path, { tool_use_id: 't1' })).toContain('[Map: ');
  expect(await read(path, { tool_use_id: 't1' })).toBeUndefined();
  const stub = { tool_response: { type: 'file_unchanged', file: { filePath: path } } };
  expect(await read(path, { ...stub, tool_use_id: 't2' })).toBe(code());
});

test('a map promises all of a file only where the agent showed that', async () => {
  const path = put('cut.py', code());
  expect(await read(path, { session_id: 'whole' })).toContain('The same call again reads all of it');
  const file = { filePath: path, content: code().slice(0, -900), startLine: 1 };
  const cut = await read(path, { session_id: 'cut', tool_response: { type: 'text', file } });
  expect(cut).toMatch(/"limit":\d+}\]$/);
});

test('a text that Copilot CLI finds too large is answered with its map', async () => {
  const path = put('large.py', code());
  const textResultForLlm = 'File too large to read at once (30.5 KB). Consider using the grep tool';
  const event = { sessionId: 'c', cwd: root, toolName: 'view', toolArgs: JSON.stringify({ path }) };
  const printed = await answers.answer(
    'copilot',
    JSON.stringify({ ...event, toolResult: { textResultForLlm } }),
  );
  expect(printed).toContain('"view_range\\":[');
});

test('Gemini CLI reads the answer in its own directory, whose texts are left alone', async () => {
  const temporary = join(root, 'gemini');
  mkdirSync(join(temporary, 'chats'), { recursive: true });
  const transcript_path = join(temporary, 'chats/s.jsonl');
  const line = (type: string, content: unknown): string => `${JSON.stringify({ type, content })}\n`;
  writeFileSync(
    transcript_path,
    line('user', [{ text: 'When is the lease renewed?' }]) + line('gemini', 'I look.'),
  );
  const call = async (
    tool_name: string,
    tool_input: object,
    llmContent: string,
  ): Promise<string | undefined> => {
    const event = { session_id: 'g', cwd: root, transcript_path, hook_event_name: 'AfterTool' };
    const text = { ...event, tool_name, tool_input, tool_response: { llmContent } };
    const printed = await answers.answer('gemini', JSON.stringify(text));
    return /"file_path":"([^"]+)"/.exec(printed ?? '')?.[1];
  };
  const file_path = put('gemini.py', code());
  const kept = (await call('read_file', { file_path }, code())) ?? '';
  expect(kept).toMatch(new RegExp(`^${temporary}/oriel/[0-9a-f]+\\.txt$`));
  const map = readFileSync(kept, 'utf8');
  expect(map).toContain('FIRST = item');
  expect(map).toMatch(/"start_line":\d+,"end_line":\d+}/);
  expect(await call('read_file', { file_path: kept }, code())).toBeUndefined();
  expect(await call('read_file', { file_path, start_line: 3 }, code())).toBeUndefined();
  const shown = (await call('run_shell_command', { command: 'make' }, `${steps}Exit Code: 3\n`)) ?? '';
  expect(readFileSync(shown, 'utf8')).toMatch(
    /Exit Code: 3\n\[\d+ lines are folded\. The whole output is in .*gemini\/oriel/,
  );
});

test('a changed file is mapped anew', async () => {
  const path = put('changed.py', code());
  await read(path);
  writeFileSync(path, code('prolong_lease'));
  expect(await read(path)).toContain('prolong_lease');
});

test('an answer that only points to the map is the whole text', async () => {
  const path = put('unchanged.py', code());
  const stub = { tool_response: { type: 'file_unchanged', file: { filePath: path } } };
  expect(await read(path, stub)).toBeUndefined();
  await read(path);
  expect(await read(path, stub)).toBe(code());
  // Now it is above.
  expect(await read(path, stub)).toBeUndefined();
  expect(await read(path)).toBeUndefined();
  const odd = `${code()}# \u001B[31mred\u001B[0m\u200B\r\nend`;
  writeFileSync(path, odd);
  await read(path);
  expect(await read(path, stub)).toBe(odd);
});

test('what somebody says to be needed whole is left alone', async () => {
  const path = put('lease [1].py', code());
  const wanted = async (text: string): Promise<boolean> =>
    (await read(path, { ...said(text), session_id: text })) === undefined;
  for (const text of [
    'Proofread lease [1].py.',
    'Fix the test. Then port src/lease [1].py to Go, please.',
    'Read the whole of `lease [1].py`.',
    'Go through lease [1].py line by line',
  ])
    expect(await wanted(text), text).toBe(true);
  for (const text of [
    'Why does lease [1].py convert the dates?',
    'Translate b.md by what lease [1].py does. Read all of b.md.',
    'Port old-lease [1].py, or lease [1].py.bak.',
    'The whole of the tests fails. See lease [1].py',
  ])
    expect(await wanted(text), text).toBe(false);
});

test('of what is too large to be read whole, no map promises that', async () => {
  const line = `${'Some words of a page in a book. '.repeat(4)}\n`;
  const chapters = Array.from({ length: 30 }, (_, i) => `# Chapter ${i}\n\n${line.repeat(90)}`).join('\n');
  const map = await open(put('large.md', chapters));
  expect(map).toContain('# Chapter 29');
  expect(map).toMatch(/"limit":\d+}\]$/);
});

test('the lines that a map tells to read are no more than the own tool of an agent shows', async () => {
  const line = (i: number): string =>
    `2026-11-29T10:00:00.${100 + (i % 900)}Z INFO request ${i} is done in ${i % 97} ms\n`;
  const path = put('large.log', Array.from({ length: 60_000 }, (_, i) => line(i)).join(''));
  const map = await open(path);
  const call = /such as (\{.*?\})\]$/.exec(map ?? '')?.[1] ?? '{}';
  const { offset, limit } = JSON.parse(call) as { offset: number; limit: number };
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .slice(offset - 1, offset - 1 + limit);
  const size = lines.join('\n').length;
  expect(size).toBeGreaterThan(8_000);
  expect(size).toBeLessThan(20_000);
});

test('private files are left to the agent', async () => {
  expect(await read(put('.env', code()))).toBeUndefined();
  mkdirSync(join(root, 'project/.claude'), { recursive: true });
  put('.claude/settings.json', '{"permissions":{"deny":["Read(hidden.py)"]}}');
  expect(await read(put('hidden.py', code()))).toBeUndefined();
});

test('a transcript that cannot be read costs nothing', async () => {
  const path = put('harm.py', code());
  const pipe = join(root, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [i, transcript_path] of [pipe, '/dev/zero', root, '/nowhere'].entries())
    expect(await read(path, { session_id: `h${i}`, transcript_path })).toContain('[Map: ');
});

test('the last words are found behind huge, cut and damaged lines', async () => {
  const line = (role: string, text: string): string =>
    `${JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] } })}\n`;
  const huge = line('user', 'x'.repeat(700_000));
  const path = put('late.py', code());
  const text = `${line('user', 'When is the lease renewed?')}${huge}{"type":"user"\n\0\n${line('assistant', 'I see.').slice(0, 40)}`;
  const transcript_path = put('t.jsonl', text);
  expect(await read(path, { transcript_path })).toContain('FIRST = item');
});

const build = (command: string, stdout: string): object => ({
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
});
const steps = Array.from({ length: 150 }, (_, i) => `   Compiling crate-${i} v1.${i}.0\n`).join('');

test('the noise of a command is folded, and never an error', async () => {
  const output = `${steps}error: it is broken\n${steps}test a ... FAILED\n`;
  const shown = (await ask(build('cargo build', output)))?.updatedToolOutput?.stdout ?? '';
  expect(shown).toContain('error: it is broken\n');
  expect(shown).toContain('test a ... FAILED\n');
  expect(shown.length).toBeLessThan(output.length / 10);
  const path = /The whole output is in (\S+)\]$/.exec(shown)?.[1] ?? '';
  expect(readFileSync(path, 'utf8')).toBe(output);
  expect(statSync(path).mode & 0o077).toBe(0);
  const again = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: path } };
  expect((await ask(again))?.permissionDecision).toBe('allow');
});

test.each([
  'Killed',
  'Segmentation fault (core dumped)',
  'invalid date in line 7',
  '404 Not Found',
  '503 Service Unavailable',
  'timed out after 60 s',
  'No such file or directory',
  'No space left on device',
  'exit status 101',
  'exited with 1',
  'checksum mismatch',
  'unexpected end of file',
  'corrupt header',
  'connection reset by peer',
  'warning: bad signature',
  'crashed',
  'unknown option --x',
])('among equal steps "%s" is shown', async (words) => {
  const line = `   Compiling crate-x: ${words}\n`;
  const output = steps.slice(0, steps.length / 2).replace(/[^\n]*$/, '') + line + steps;
  expect((await ask(build('make', output)))?.updatedToolOutput?.stdout).toContain(line);
});

test('of a line that was written over and over, the last state is shown', async () => {
  const output = `Cloning\n${Array.from({ length: 400 }, (_, i) => `Receiving objects: ${i}\r`).join('')}done.\n`;
  const shown = (await ask(build('git clone x', output)))?.updatedToolOutput?.stdout;
  expect(shown).toMatch(
    /^Cloning\ndone\.\S* objects: 399\n\[What was overwritten is left out\. The whole output is in \S+\]$/,
  );
});

test('outputs are kept in a directory that is private now', async () => {
  const long = build('cargo build', steps);
  rmSync(join(root, 'cache'), { recursive: true });
  mkdirSync(join(root, 'cache/oriel/hook'), { recursive: true });
  chmodSync(join(root, 'cache/oriel/hook'), 0o777);
  expect((await ask(long))?.updatedToolOutput?.stdout).toContain('The whole output is in');
  expect(statSync(join(root, 'cache/oriel/hook')).mode & 0o077).toBe(0);
});

test('what a command searched, and what is short, is left alone', async () => {
  expect(await ask(build('grep Compiling build.log', steps))).toBeUndefined();
  expect(await ask(build('cargo build', steps.slice(0, 4_000)))).toBeUndefined();
});

async function open(target: string, more: object = {}): Promise<string | undefined> {
  const event = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: target } };
  const kept = (await ask({ ...event, ...more }))?.updatedInput?.file_path;
  return kept === undefined ? undefined : readFileSync(kept, 'utf8');
}

test('an archive in the project is opened as text, its private members are not', async () => {
  const path = put(
    'a.zip',
    zip([
      { name: 'src/x.txt', content: 'inside\n' },
      { name: '.env', content: 'KEY=1\n' },
    ]),
  );
  expect(await open(path)).toContain(`behind the path: ${path}:NAME]`);
  expect(await open(`${path}:src/x.txt`)).toBe('inside\n');
  expect(await open(`${path}:.env`)).toBeUndefined();
  expect(await open('/elsewhere/a.zip')).toBeUndefined();
});

test('what only the person may allow is not opened', async () => {
  const outside = join(root, 'outside.zip');
  writeFileSync(outside, zip([{ name: 'x.txt', content: 'secret\n' }]));
  symlinkSync(outside, join(root, 'project/link.zip'));
  const path = put('b.zip', zip([{ name: 'x.txt', content: 'inside\n' }]));
  expect(await open(join(root, 'project/link.zip:x.txt'))).toBeUndefined();
  expect(await open(outside, { cwd: undefined })).toBeUndefined();
  expect(await open(`${path}:x.txt`)).toBe('inside\n');
  mkdirSync(join(root, 'project/.claude'), { recursive: true });
  put('.claude/settings.json', '{ "permissions": { "ask": ["Bash(ls [a]*)", "Read(./b.zip)"] } }');
  expect(await open(`${path}:x.txt`)).toBeUndefined();
});

test('rules above the working directory are left to the agent', async () => {
  mkdirSync(join(root, 'project/sub'), { recursive: true });
  mkdirSync(join(root, 'project/.claude'), { recursive: true });
  const path = put('sub/c.zip', zip([{ name: 'x.txt', content: 'inside\n' }]));
  const cwd = join(root, 'project/sub');
  expect(await open(`${path}:x.txt`, { cwd })).toBe('inside\n');
  put('.claude/settings.json', '{ "permissions": { "deny": ["Read(./sub/**)"] } }');
  expect(await open(`${path}:x.txt`, { cwd })).toBeUndefined();
});

test('settings that lead to a device count as rules, and are not read', async () => {
  mkdirSync(join(root, 'project/.claude'), { recursive: true });
  const path = put('d.zip', zip([{ name: 'x.txt', content: 'inside\n' }]));
  const settings = join(root, 'project/.claude/settings.local.json');
  symlinkSync('/dev/zero', settings);
  onTestFinished(() => rmSync(settings));
  expect(await open(`${path}:x.txt`, { cwd: join(root, 'project') })).toBeUndefined();
});

test('a search that was cut says how to go on', async () => {
  const event = { hook_event_name: 'PostToolUse', tool_name: 'Grep', tool_input: { pattern: 'x' } };
  const cut = await ask({ ...event, tool_response: { numLines: 250, appliedLimit: 250 } });
  expect(cut?.additionalContext).toContain('Grep {"pattern":"x","offset":250}');
  expect(await ask({ ...event, tool_response: { numLines: 3 } })).toBeUndefined();
});
