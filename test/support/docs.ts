/** The blocks of the documentation, and the workspace in which its commands run. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { cli } from './cli.ts';
import { percents, sheetRow, xlsx } from './documents.ts';
import { commitAll, git } from './git.ts';
import { has } from './has.ts';
import { exifBlock, makePng, pngEnd, pngHeader, pngSignature, withExif } from './images.ts';
import { run } from './warm-cli.ts';

export const pages: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true }).map((name) => `docs/${String(name)}`),
].filter((name) => name.endsWith('.md'));

export interface Block {
  readonly page: string;
  /** Page and 1-based line of the opening fence. */
  readonly name: string;
  /** The info string of the fence, such as `ts types`. */
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of every page. */
export const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = '', 2: body = '', index }) => ({
      page,
      name: `${page}:${text.slice(0, index).split('\n').length}`,
      language,
      text: body,
    }),
  );
});

export interface Example {
  readonly name: string;
  readonly command: string;
  /** Expected output: `…` within a line matches any text, `…` alone on a line matches any number of lines. */
  readonly printed: string;
}

/** The commands of a `console` block, each with its expected output. */
export function examplesOf({ name, text }: Block): Example[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command = '', ...printed] = example.trimEnd().split('\n');
      return { name: `${name} $ ${command}`, command, printed: printed.join('\n') };
    });
}

/** A regular expression that matches the expected output. */
export function pattern(printed: string): RegExp {
  const lines = printed.split('\n').map((line) => {
    if (line === '…') return '(?:.*\n)*?';
    return `${line.split('…').map(escaped).join('.*')}\n`;
  });
  return new RegExp(`^${lines.join('')}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

const plot = makePng(640, 480);

const survey = JSON.stringify({
  nbformat: 4,
  metadata: {},
  cells: [
    { cell_type: 'markdown', source: '# Survey' },
    {
      cell_type: 'code',
      source: "import pandas as pd\nanswers = pd.read_csv('answers.csv')\nanswers.describe()",
      outputs: [
        {
          output_type: 'execute_result',
          data: { 'text/plain': '       age\ncount   12', 'text/html': '<table>12</table>' },
        },
      ],
    },
    {
      cell_type: 'code',
      source: 'answers.plot()',
      outputs: [
        {
          output_type: 'display_data',
          data: { 'image/png': plot.toString('base64'), 'text/plain': '<Figure size 640x480>' },
        },
      ],
    },
  ],
});

const book = [
  sheetRow(1, ['Region', 'Units', 'Share']),
  sheetRow(2, ['North', 47, percents(0.256)]),
  sheetRow(3, ['South', 377, percents(0.744)]),
].join('');

const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().slice(0, 19);
const bigLog = (): string =>
  Array.from({ length: 200_000 }, (_, i) => `${at(i)} service ${i} started\n`).join('');
/** A server of 90 minutes, which lost its database twice. */
const serverLog = Array.from({ length: 5400 }, (_, i) => {
  if (i === 79) return `${at(i)} ERROR connection to db-3 lost\n`;
  if (i === 4101) return `${at(i)} ERROR connection to db-1 lost\n`;
  return `${at(i)} INFO GET /items/${i} 200 in ${i % 97}ms\n`;
}).join('');
const appLog = Array.from({ length: 5000 }, (_, i) => `entry ${i + 1}\n`).join('');

/** A server of 118 lines, most of them in the body of one method. */
const server = [
  ...['http', 'path', 'util', 'url', 'os'].map((name) => `import * as ${name} from 'node:${name}';`),
  '',
  '/**',
  ' * Answers requests.',
  ' * One for each port.',
  ' */',
  'export class Server {',
  '  port = 80;',
  '',
  '  async start(host: string): Promise<void> {',
  ...Array.from({ length: 300 }, (_, i) => `    await this.listen(host, this.port + ${i});`),
  '  }',
  '',
  '  stop() {',
  '    this.port = 0;',
  '  }',
  '}',
  '',
].join('\n');

const shop = {
  'money.py': 'def format(cents):\n    "In euros."\n    return f"{cents / 100} EUR"\n',
  'cart.py': `from .money import format


class Cart:
    "What is bought."

    def __init__(self):
        self.sum = 0

    def add(self, cents, pieces=1):
        if cents < 0:
            raise ValueError("a price is not negative")
        self.sum += cents * pieces

    def total(self):
        return format(self.sum)
`,
  'main.py': `from .cart import Cart


def checkout(prices):
    cart = Cart()
    for price in prices:
        cart.add(price)
    return cart.total()
`,
};

export interface DocsWorld {
  /** The working directory of the commands. */
  readonly work: string;
  /** Runs `command` in a shell in which `oriel` is the built one, and gives its stdout and stderr together. */
  run(command: string): string;
  remove(): void;
}

/** A repository with two commits. */
function makeJournal(directory: string): void {
  mkdirSync(join(directory, 'notes'), { recursive: true });
  git(directory, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(directory, 'notes/plan.md'), '# Plan\n\n- buy paint\n');
  commitAll(directory, 'Plan the work');
  git(directory, 'tag', 'v1');
  writeFileSync(join(directory, 'notes/plan.md'), '# Plan\n\n- buy blue paint\n- paint the door\n');
  writeFileSync(join(directory, 'todo.txt'), 'measure\n');
  commitAll(directory, 'Choose a colour');
}

/** Whether it is one call of oriel without a pipe, a redirection or a substitution. */
function isOneCall(command: string): boolean {
  const unquoted = command.replaceAll(/'[^']*'|"[^"$`]*"/g, '');
  return /^oriel [^|&;<>()$`\\\n]*$/.test(unquoted);
}

/** Makes a directory with every file that the pages read, and a separate state directory, so that outputs start at 1. */
export async function docsWorld(): Promise<DocsWorld> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-docs-')));
  const photo = await sharp(makePng(300, 200)).resize(3000, 2000).jpeg().toBuffer();
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'bin/oriel': `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`,
    'work/big.log': bigLog(),
    'work/app.log': appLog,
    'work/server.log': serverLog,
    'work/src/server.ts': server,
    'work/orders.csv': 'id;customer;price\n1;"Berg; Oslo";1.10\n2;Dahl;20\n3;Moe\n',
    'work/events.jsonl': '{"id":9007199254740993,"at":{"page":"/a"}}\n{"id":2}\n',
    'work/survey.ipynb': survey,
    'work/cut.ipynb': survey.slice(0, 120),
    'work/photo.jpg': withExif(photo, exifBlock(6)),
    'work/bomb.png': Buffer.concat([pngSignature, pngHeader(60_000, 60_000), pngEnd]),
    'work/cut.png': plot.subarray(0, 500),
    ...Object.fromEntries(Object.entries(shop).map(([name, text]) => [`work/shop/${name}`, text])),
    'work/book.xlsx': xlsx([['Sales', `<sheetData>${book}</sheetData>`]]),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), content);
  }
  chmodSync(join(base, 'bin/oriel'), 0o755);
  if (has('git')) makeJournal(join(base, 'journal'));
  const work = join(base, 'work');
  /** The directory names that the pages use, and the real ones. */
  const names: readonly [string, string][] = [
    ['/home/me/project', work],
    ['/srv/app', work],
    ['/home/me/.cache', join(base, 'cache')],
  ];
  return {
    work,
    run(command) {
      const env = {
        PATH: `${join(base, 'bin')}:${process.env['PATH']}`,
        HOME: base,
        XDG_CACHE_HOME: join(base, 'cache'),
      };
      const typed = names.reduce((text, [name, real]) => text.replaceAll(name, real), command);
      const bash = (script: string): string =>
        spawnSync('bash', ['-c', script], { cwd: work, encoding: 'utf8', maxBuffer: 64 << 20, env }).stdout;
      const answer = (): string => {
        if (!isOneCall(typed)) return bash(`exec 2>&1\n${typed}\n`);
        const words = bash(`oriel() { printf '%s\\0' "$@"; }\n${typed}\n`).split('\0').slice(0, -1);
        const { out, err } = run(words, { cwd: work, env });
        return out + err;
      };
      let printed = answer();
      // On a very busy machine the parser can exceed its time limit: retry.
      for (let i = 0; i < 100 && printed.includes('parsing it took too long'); i += 1) printed = answer();
      return names.reduce((text, [name, real]) => text.replaceAll(real, name), printed);
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
