// npm run hosts -- --record: draws docs/agent.svg, what a person sees of a session of Claude Code with oriel behind its own tools,
// and what its model got: its real screen, in a terminal of xterm.js, with a model that follows a script.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { drawRows } from '../picture.mjs';
import { startModel } from './model.mjs';

const PROMPT = 'How is a refund recorded in orders.ts?';
const ANSWER = 'refund checks the amount, then writes { id, amount } to the journal.';
const [COLUMNS, ROWS] = [112, 40];

const warnings = (count, name) =>
  Array.from(
    { length: count },
    (_, i) => `    if (order.lines[${i}]?.quantity === 0) this.warn(order, '${name} line ${i}');`,
  );

/** 318 lines, of which the question is about five. */
export const orders = [
  "import { randomUUID } from 'node:crypto';",
  '',
  'export class OrderBook {',
  '  async place(lines: readonly Line[]): Promise<Order> {',
  "    const order: Order = { id: randomUUID(), lines, status: 'open' };",
  ...warnings(140, 'place'),
  '    return order;',
  '  }',
  '',
  '  async refund(id: string, amount: number): Promise<void> {',
  '    const order = this.get(id);',
  "    if (amount > total(order)) throw new RangeError('more than was paid');",
  "    await this.journal.write('refund', { id, amount });",
  '  }',
  '',
  '  async cancel(id: string): Promise<void> {',
  '    const order = this.get(id);',
  ...warnings(160, 'cancel'),
  '  }',
  '}',
].join('\n');

/**
 * Resolves to the SVG. `start(url, prompt)` resolves to the command and the options of `spawn`; `headless` is where xterm.js is
 * installed, and `file` what the model reads.
 */
export async function recorded(start, headless, { home, file }) {
  const { Terminal } = createRequire(join(headless, 'package.json'))('@xterm/headless');
  const model = await startModel((results) => (results.length === 0 ? { file_path: file } : undefined), {
    text: ANSWER,
    read: /^Read$/,
  });
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
  const shows = async (pattern) => {
    for (let waited = 0; !lines().some((line) => pattern.test(line)); waited += 1) {
      if (waited === 600) throw new Error(`the host does not show ${pattern}:\n${lines().join('\n')}`);
      await setTimeout(100);
    }
  };
  try {
    await shows(/^✻ \p{L}+ for /u);
    // The transcript in detail, which names the file.
    child.stdin.write('\x0f');
    await shows(/detailed transcript/);
    const shown = lines();
    const said = shown
      .slice(
        shown.findIndex((line) => line.startsWith('❯')),
        shown.findIndex((line) => line.startsWith('✻')),
      )
      .filter((line) => line.trim() !== '' && !/^ +\d\d:\d\d [AP]M/.test(line));
    const got = model.seen.results[0].text.replaceAll(/^\d+\t/gm, '').split('\n');
    const rows = [
      ...said.map((text) => ({
        kind: text.startsWith('❯') ? 'bold' : text.startsWith('● Read') ? 'prompt' : 'line',
        text,
      })),
      { kind: 'line', text: '' },
      {
        kind: 'said',
        text: `# what its model got of ${orders.split('\n').length} lines, in place of all of them`,
      },
      ...got.map((text) => ({ kind: text.startsWith('[') ? 'notice' : 'line', text })),
    ].map(({ kind, text }) => ({ kind, text: text.replaceAll(home, '~').replace('⎿', '└') }));
    return drawRows(rows, 'Claude Code reads what a question is about, of a file of 318 lines', COLUMNS);
  } finally {
    process.kill(-child.pid, 'SIGKILL');
    model.stop();
  }
}
