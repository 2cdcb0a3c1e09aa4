// npm run picture: draws docs/session.svg, the session at the top of the README, from real runs of commands on generated
// data, and docs/costs/*.svg from the tables of measured figures in the pages. A test draws all again and compares.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
    return drawRows(
      rows.slice(0, -1),
      'A session: a page of a large log, the next page, the map of a file of code, one method',
      COLUMNS,
    );
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
  bold: '#e6edf3',
  prompt: '#3fb950',
  number: '#6e7681',
  line: '#c9d1d9',
  notice: '#e3b341',
  left: '#6e7681',
};

/** A terminal of `columns`. Every run of text is stretched to its columns, so that it is aligned with any font. */
export function drawRows(rows, title, columns) {
  const height = BAR + PAD / 2 + rows.length * ROW + PAD / 2;
  const width = 2 * PAD + columns * CELL;
  const texts = rows.flatMap(({ kind, text }, index) => {
    const y = BAR + PAD / 2 + index * ROW + 13;
    return runsOf(kind, clip(text, columns)).map(({ colour, at, shown }) => {
      const [lead = ''] = /^ */.exec(shown);
      const ink = shown.trim();
      if (ink === '') return '';
      const x = (PAD + (at + lead.length) * CELL).toFixed(1);
      const long = (Array.from(ink).length * CELL).toFixed(1);
      const weight = kind === 'typed' || kind === 'bold' ? ' font-weight="600"' : '';
      return `<text x="${x}" y="${y}" fill="${COLOURS[colour]}"${weight} textLength="${long}">${escaped(ink)}</text>`;
    });
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, i) => `<circle cx="${PAD + 6 + i * 20}" cy="${BAR / 2 + 1}" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${title}</title>`,
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

function clip(text, columns) {
  const signs = Array.from(text);
  return signs.length <= columns ? text : `${signs.slice(0, columns - 1).join('')}…`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Each picture of bars: the heading above its table, the columns with the figures, and the rows that are shown. */
const CHARTS = {
  'docs/costs/tokens.svg': {
    title: 'Tokens to read what 103 real changes touched',
    page: 'docs/costs.md',
    heading: '## A change in real code',
    columns: ['tokens'],
  },
  'docs/costs/calls.svg': {
    title: 'Calls to read what 103 real changes touched',
    page: 'docs/costs.md',
    heading: '## A change in real code',
    columns: ['calls'],
  },
  'docs/costs/places.svg': {
    title: 'Tokens of one task, on a scale of powers of ten',
    page: 'docs/costs.md',
    heading: '## One place, and everything',
    columns: ['oriel', 'server-filesystem'],
    isLogarithmic: true,
  },
  'docs/costs/sessions.svg': {
    title: 'Price of a session, beside 1 for the host alone',
    page: 'docs/costs.md',
    heading: '## Whole sessions',
    columns: ['behind its tools', 'MCP, called'],
  },
  'docs/costs/answers.svg': {
    title: 'Size of one answer, on a scale of powers of ten',
    page: 'README.md',
    heading: '## Why, and why not',
    columns: ['oriel', 'server-filesystem 2026.8', 'desktop-commander 0.2.52'],
    isShown: ({ oriel }) => / KB/.test(oriel),
    isLogarithmic: true,
  },
};

/** `{ [path]: svg }` of all pictures of figures. */
export function charts() {
  return Object.fromEntries(
    Object.entries(CHARTS).map(([path, { title, page, heading, columns, isShown, isLogarithmic }]) => {
      const rows = tableBelow(readFileSync(at(page), 'utf8'), heading)
        .filter(([, cells]) => isShown?.(cells) ?? true)
        .map(([label, cells]) => ({ label, bars: columns.map((column) => barOf(cells[column])) }));
      return [path, drawBars({ title, rows, series: columns, isLogarithmic })];
    }),
  );
}

/** The rows of the first table below a heading: `[label, { [column]: cell }]`, without marks of code. */
function tableBelow(page, heading) {
  const lines = page.slice(page.indexOf(`\n${heading}\n`)).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const table = lines.slice(
    begin,
    lines.findIndex((line, i) => i > begin && !line.startsWith('|')),
  );
  const [head, , ...rows] = table.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll(/`|\[|\]\([^)]*\)/g, '')),
  );
  return rows.map(([label, ...cells]) => [
    label,
    Object.fromEntries(cells.map((cell, i) => [head[i + 1], cell])),
  ]);
}

const UNITS = { k: 1e3, KB: 1e3, MB: 1e6 };

/** `'50.2 KB, 89 MB memory'` → `{ value: 50200, text: '50.2 KB' }`; a cell without a figure has only its text. */
function barOf(cell) {
  const [text, digits, unit] = /^([\d.,]*\d) ?(k|KB|MB)?\b/.exec(cell) ?? [];
  if (text === undefined) return { text: cell.split(',')[0] };
  return { text, value: Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1) };
}

const [WIDTH, LABELS, FIGURES, BAR_HEIGHT, BAR_STEP, GAP] = [760, 330, 90, 14, 18, 12];

/** Bars beside their labels, light or dark as the page. In a picture with one series the rows of oriel stand out. */
function drawBars({ title, rows, series, isLogarithmic = false }) {
  const all = rows.flatMap(({ bars }) => bars.flatMap(({ value = 0 }) => (value > 0 ? [value] : [])));
  const low = isLogarithmic ? 10 ** Math.floor(Math.log10(Math.min(...all))) : 0;
  const scale = (value) => (isLogarithmic ? Math.log10(value / low) : value);
  const wide = (value) =>
    Math.max(2, ((WIDTH - LABELS - FIGURES - 2 * PAD) * scale(value)) / scale(Math.max(...all))).toFixed(1);
  const drawn = [];
  let y = 52;
  if (series.length > 1) {
    let x = PAD;
    for (const [i, name] of series.entries()) {
      drawn.push(`<rect class="s${i}" x="${x}" y="${y - 10}" width="12" height="12" rx="2"/>`);
      drawn.push(`<text x="${x + 18}" y="${y}">${escaped(name)}</text>`);
      x += 40 + name.length * 7.5;
    }
    y += 26;
  }
  for (const { label, bars } of rows) {
    const middle = y + (bars.length * BAR_STEP) / 2 + 1;
    drawn.push(`<text x="${PAD + LABELS - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>`);
    for (const [i, { value, text }] of bars.entries()) {
      const colour = series.length > 1 ? i : label.startsWith('oriel') ? 0 : 1;
      const width = value === undefined ? 0 : wide(value);
      if (value !== undefined)
        drawn.push(
          `<rect class="s${colour}" x="${PAD + LABELS}" y="${y}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`,
        );
      const x = (PAD + LABELS + 6 + Number(width)).toFixed(1);
      drawn.push(`<text class="figure" x="${x}" y="${y + 11}">${escaped(text)}</text>`);
      y += BAR_STEP;
    }
    y += GAP;
  }
  const height = y + PAD / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title>`,
    '<style>',
    "text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1d1f24 }",
    '.title { font-weight: 600; font-size: 15px } .figure { font-size: 12px }',
    '.back { fill: #fbfaf8; stroke: #d9d7d2 } .s0 { fill: #3d6fb4 } .s1 { fill: #a5a9b3 } .s2 { fill: #c98a5b }',
    '@media (prefers-color-scheme: dark) {',
    'text { fill: #e9e7e2 } .back { fill: #14161a; stroke: #343944 }',
    '.s0 { fill: #7aa8e6 } .s1 { fill: #6b717e } .s2 { fill: #b9774a }',
    '}',
    '</style>',
    `<rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="9.5"/>`,
    `<text class="title" x="${PAD}" y="28">${escaped(title)}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(at('docs/costs'), { recursive: true });
  for (const [path, svg] of Object.entries(charts())) await writeFile(at(path), svg);
  await writeFile(at('docs/session.svg'), await picture(at('dist/faces/cli/main.js')));
}
