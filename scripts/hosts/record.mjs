// npm run hosts -- --record: draws docs/agent.svg, what a person sees of a session of Codex with oriel: its real screen, in a
// terminal of xterm.js, with a model that follows a script.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { drawRows } from '../picture.mjs';
import { startModel } from './model.mjs';

const PROMPT = 'Why did the nightly build fail?';
const ANSWER = "Line 31182: src/paging.ts uses 'cursor', which is not declared. (10 of 40,000 lines read.)";
const STEPS = ['nightly.log:-5', 'nightly.log:31180..31184'];
const [COLUMNS, ROWS] = [100, 40];

/** 40,000 lines, with an error in one of them. */
export const nightlyLog = Array.from({ length: 40_000 }, (_, i) =>
  i === 31_181
    ? "error TS2304: src/paging.ts(88,12): Cannot find name 'cursor'."
    : i === 39_998
      ? 'build failed: 1 error, at line 31182 of this log'
      : `compiled module ${(i * 7919) % 40_000}, no warnings`,
).join('\n');

/** Resolves to the SVG. `start(url)` resolves to the command and the options of `spawn`; `headless` is where xterm.js is installed. */
export async function recorded(start, headless) {
  const { Terminal } = createRequire(join(headless, 'package.json'))('@xterm/headless');
  const model = await startModel(
    (results) => (results.length < STEPS.length ? { path: STEPS[results.length] } : undefined),
    { text: ANSWER },
  );
  const [command, options] = await start(model.url, PROMPT);
  const screen = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty rows ${ROWS} cols ${COLUMNS}; exec ${quoted}`, '/dev/null'], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  // A program asks its terminal for colours and the position of the cursor.
  screen.onData((data) => child.stdin.write(data));
  child.stdout.on('data', (data) => screen.write(data));
  const lines = () =>
    Array.from({ length: screen.buffer.active.length }, (_, i) =>
      screen.buffer.active.getLine(i).translateToString(true),
    );
  try {
    for (let waited = 0; !lines().some((line) => /Worked for/.test(line)); waited += 1) {
      if (waited === 600) throw new Error(`the host shows no answer:\n${lines().join('\n')}`);
      await setTimeout(100);
      // It offers another model first: the second choice is to keep this one.
      if (lines().some((line) => line.startsWith('› 1. Try new model'))) child.stdin.write('2\r');
    }
    const shown = lines();
    const session = shown.slice(
      0,
      shown.findIndex((line) => /Worked for/.test(line)),
    );
    const rows = session
      .join('\n')
      .trim()
      .split('\n')
      .filter((line, i, all) => line.trim() !== '' || all[i - 1]?.trim() !== '')
      .map((text) => ({
        kind: text.startsWith('›')
          ? 'bold'
          : text.startsWith('• Called')
            ? 'prompt'
            : /\+ Show/.test(text)
              ? 'said'
              : 'line',
        text,
      }));
    return drawRows(rows, 'Codex reads ten of the 40,000 lines of a log with oriel, and answers', COLUMNS);
  } finally {
    process.kill(-child.pid, 'SIGKILL');
    model.stop();
  }
}
