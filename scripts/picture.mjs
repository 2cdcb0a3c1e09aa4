// npm run picture: draws docs/session.svg, the session at the top of the README, from real runs of commands on generated
// data. A test draws it again and compares, so that it shows what oriel prints.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** 200,000 requests, 9 MB. */
function accessLog() {
  const paths = ['/', '/api/orders', '/api/orders/1187', '/static/app.js', '/health'];
  return Array.from({ length: 200_000 }, (_, i) => {
    const time = new Date(Date.UTC(2026, 2, 1) + i * 400).toISOString().slice(0, 19);
    const status = i % 97 === 96 ? 502 : 200;
    return `${time} GET ${paths[i % paths.length]} ${status} ${8 + ((i * 37) % 211)}ms\n`;
  }).join('');
}

/** 300 lines of a service, more than the 12 KiB above which a read returns a map. */
function ordersModule() {
  const rules = (count, name) =>
    Array.from(
      { length: count },
      (_, i) => `    if (order.lines[${i}]?.quantity === 0) this.warn(order, '${name} line ${i}');`,
    );
  return [
    "import { randomUUID } from 'node:crypto';",
    "import { type Clock, systemClock } from './clock.ts';",
    "import type { Journal } from './journal.ts';",
    '',
    'export interface Order {',
    '  readonly id: string;',
    '  readonly lines: readonly Line[];',
    "  status: 'open' | 'paid' | 'cancelled';",
    '}',
    '',
    '/** Takes orders, and writes down what became of them. */',
    'export class OrderBook {',
    '  readonly #orders = new Map<string, Order>();',
    '',
    '  constructor(journal: Journal, clock: Clock = systemClock) {',
    '    this.journal = journal;',
    '    this.clock = clock;',
    '  }',
    '',
    '  async place(lines: readonly Line[]): Promise<Order> {',
    "    const order: Order = { id: randomUUID(), lines, status: 'open' };",
    ...rules(140, 'place'),
    '    this.#orders.set(order.id, order);',
    '    return order;',
    '  }',
    '',
    '  async refund(id: string, amount: number): Promise<void> {',
    '    const order = this.get(id);',
    ...rules(120, 'refund'),
    "    await this.journal.write('refund', { id, amount });",
    '  }',
    '',
    '  cancel(id: string): void {',
    '    const order = this.get(id);',
    "    if (order.status === 'paid') throw new Error('refund it first');",
    "    if (order.status === 'cancelled') return;",
    '    for (const line of order.lines) {',
    '      if (!line.reserved) continue;',
    '      this.stock.release(line.article, line.quantity);',
    '    }',
    "    order.status = 'cancelled';",
    '    this.changed(order);',
    '  }',
    '}',
    '',
  ].join('\n');
}

/** The scenes of the picture, and how many lines of each answer are shown. */
const SCENES = [
  {
    say: 'a log of 200,000 lines: its ends, its shapes, and what failed',
    args: ['access.log'],
    head: 9,
    tail: 2,
  },
  { say: 'a long file of code: its map', args: ['orders.ts'], head: 24, tail: 0 },
  { say: 'one of its methods', args: ['orders.ts:#OrderBook.cancel'], head: 12, tail: 0 },
];

/** The SVG of a session with `cli` (the path of main.js). */
export async function picture(cli) {
  const work = await mkdtemp(join(tmpdir(), 'oriel-picture-'));
  try {
    await writeFile(join(work, 'access.log'), accessLog());
    await writeFile(join(work, 'orders.ts'), ordersModule());
    const rows = [];
    for (const { say, args, head, tail } of SCENES) {
      const stdout = await printedBy(cli, ['read', ...args], work);
      const quoted = args.map((arg) => (/[#$&*?]/.test(arg) ? `'${arg}'` : arg)).join(' ');
      const lines = stdout.trimEnd().split('\n');
      const left = lines.length - head - tail;
      rows.push(
        { kind: 'said', text: `# ${say}` },
        { kind: 'typed', text: `oriel read ${quoted}` },
        ...lines.slice(0, left > 0 ? head : undefined).map(printed),
        ...(left > 0 ? [{ kind: 'left', text: `⋮ ${left.toLocaleString('en')} lines` }] : []),
        ...(left > 0 ? lines.slice(lines.length - tail).map(printed) : []),
        { kind: 'blank', text: '' },
      );
    }
    return draw(rows.slice(0, -1));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function printedBy(cli, args, cwd) {
  const env = { ...process.env, NO_COLOR: '1', XDG_CACHE_HOME: join(cwd, 'cache') };
  for (let attempt = 1; ; attempt++) {
    const { stdout, stderr = '' } = await run(process.execPath, [cli, ...args], { cwd, env }).catch(
      (error) => error,
    );
    // On a very busy machine the parser may reach its timeout.
    const isLate = /^(?:\[No map: |oriel: ).*took too long/m.test(stdout + stderr);
    if (!isLate && stdout !== '') return stdout;
    if (attempt === 100) throw new Error(stderr);
  }
}

function printed(text) {
  return { kind: /^\[(?:A log of|\d+ lines elided)/.test(text) ? 'notice' : 'line', text };
}

const COLUMNS = 112;
const [CELL, ROW, PAD, BAR] = [7.8, 19, 20, 36];
const COLOURS = {
  said: '#7d8590',
  typed: '#e6edf3',
  prompt: '#3fb950',
  number: '#6e7681',
  line: '#c9d1d9',
  notice: '#e3b341',
  left: '#6e7681',
};

/** Every run of text is stretched to its columns, so that it is aligned with any font. */
function draw(rows) {
  const height = BAR + PAD / 2 + rows.length * ROW + PAD / 2;
  const width = 2 * PAD + COLUMNS * CELL;
  const texts = rows.flatMap(({ kind, text }, index) => {
    const y = BAR + PAD / 2 + index * ROW + 13;
    return runsOf(kind, clip(text)).map(({ colour, at, shown }) => {
      const [lead = ''] = /^ */.exec(shown);
      const ink = shown.trim();
      if (ink === '') return '';
      const x = (PAD + (at + lead.length) * CELL).toFixed(1);
      const long = (Array.from(ink).length * CELL).toFixed(1);
      const weight = kind === 'typed' ? ' font-weight="600"' : '';
      return `<text x="${x}" y="${y}" fill="${COLOURS[colour]}"${weight} textLength="${long}">${escaped(ink)}</text>`;
    });
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, i) => `<circle cx="${PAD + 6 + i * 20}" cy="${BAR / 2 + 1}" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">A session: a page of a large log, the next page, the map of a file of code, one method</title>',
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9.5" fill="none" stroke="#30363d"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace" font-size="13" lengthAdjust="spacingAndGlyphs" xml:space="preserve">`,
    ...texts.filter((text) => text !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Coloured runs of a row: `{ colour, at, shown }`, `at` the column from 0. */
function runsOf(kind, text) {
  if (kind === 'typed') {
    return [
      { colour: 'prompt', at: 0, shown: '$' },
      { colour: 'typed', at: 2, shown: text },
    ];
  }
  const [, number = ''] = (kind === 'line' && /^(\d+(?:-\d+)?\|)/.exec(text)) || [];
  return [
    { colour: 'number', at: 0, shown: number },
    { colour: kind, at: number.length, shown: text.slice(number.length) },
  ];
}

function clip(text) {
  const signs = Array.from(text);
  return signs.length <= COLUMNS ? text : `${signs.slice(0, COLUMNS - 1).join('')}…`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  await writeFile(at('docs/session.svg'), await picture(at('dist/faces/cli/main.js')));
}
