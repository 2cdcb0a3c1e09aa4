// Documents: converted by a warm child, read again, their second pages, pages of a long one, and searches in them; compared
// with pdftotext, LibreOffice and ripgrep-all if they are installed. Marker words are counted in each output.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { measuredCommand } from './lib/peak.mjs';
import { insideProcess } from './lib/process.mjs';
import { quick, sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const fixtures = 'test/fixtures/documents';
const MARKER = /\b(?:MARK|SLIDE|SHEET|COLSEQ)-[A-Z0-9-]+\d/g;
/** Of the long document. */
const PAGES = sized(400, 40);
const WIDE = { lines: 100_000, bytes: 10_000_000, tokens: 10_000_000 };

export async function rows() {
  mkdirSync('.bench/documents', { recursive: true });
  const names = readdirSync(fixtures).filter((name) =>
    quick
      ? /^(?:report|sheet)\.(?:pdf|docx|xlsx)$/.test(name)
      : !/\.gz$|^encrypted|^noxref|^small/.test(name),
  );
  const long = longPdf();
  const table = [];
  for (const name of names) table.push(await converted(join(fixtures, name)));
  table.push(page(`a page of ${PAGES}`, `${long}:p${PAGES / 2}`), page(`the first pages of ${PAGES}`, long));
  for (const name of ['report.docx:700..', 'report.pdf:p2', 'sheet.xlsx:Sales?limit=20&offset=20'])
    table.push(page(`second page: ${name}`, join(fixtures, name)));
  table.push(await searched(long));
  return table;
}

function ours(options, repeat) {
  const anew = insideProcess('ours', { ...options, fresh: true, children: true, repeat });
  const again = insideProcess('ours', { ...options, repeat });
  const failure = anew.failure ?? again.failure;
  // A timeout may be reached on a busy machine.
  if (failure !== undefined) return { cells: { 'first call': `failed: ${failure.slice(0, 80)}` } };
  return {
    warm: anew.warm,
    cells: {
      'first call': ms(anew.cold),
      'warm child': ms(anew.warm),
      again: ms(again.warm),
      memory: mb(anew.mb),
      'of the child': mb(anew.below),
    },
  };
}

async function converted(path) {
  const { warm, cells } = ours({ input: { path: `${path}:raw` }, options: { limits: WIDE } }, 7);
  const peer = await peerOf(path);
  return {
    what: basename(path),
    ...cells,
    words: markers(textOf(path, WIDE)),
    peer: peer.name,
    'peer time': ms(peer.ms),
    'peer memory': mb(peer.mb),
    'peer words': peer.words,
    ratio: ratio(warm, peer.ms),
  };
}

function page(what, path) {
  return { what, ...ours({ input: { path } }, 5).cells };
}

/** On the last page but one. */
const WORD = `LONG-${PAGES - 1}-1 `;

async function searched(path) {
  const input = { path, pattern: WORD, literal: true };
  const { warm, cells } = ours({ tool: 'grep', input }, 3);
  const rga = await timed('rga', 'rga', ['--rga-no-cache', WORD, path]);
  const pipe = ['-c', `set -e; pdftotext '${path}' - | grep '${WORD}'`];
  const peer = rga.ms === undefined ? await timed('pdftotext | grep', 'sh', pipe) : rga;
  return {
    what: `grep in ${PAGES} pages`,
    ...cells,
    peer: peer.name,
    'peer time': ms(peer.ms),
    'peer memory': mb(peer.mb),
    ratio: ratio(warm, peer.ms),
  };
}

function textOf(path, limits) {
  const code = `
    import { createOriel } from ${JSON.stringify(resolve('dist/index.js'))};
    const oriel = createOriel({ cache: false, limits: ${JSON.stringify(limits)} });
    const answer = await oriel.tool('read').run({ path: ${JSON.stringify(`${path}:raw`)} });
    process.stdout.write(answer.content[0].text);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

const markers = (text) => new Set(text.match(MARKER) ?? []).size;

/** All sheets of a workbook, each in a file: token 12 of the options is -1. */
const SHEETS = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';

async function peerOf(path) {
  if (path.endsWith('.pdf')) return timed('pdftotext -layout', 'pdftotext', ['-layout', path, '-']);
  const as = /\.(?:docx?|odt)$/.test(path) ? 'txt:Text' : /\.(?:xlsx?|ods)$/.test(path) ? SHEETS : undefined;
  // LibreOffice has no text export of slides, and does not read e-books.
  if (quick || as === undefined) return { name: '-' };
  const to = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  const peer = await timed('soffice', 'soffice', [
    `-env:UserInstallation=file://${resolve('.bench/documents/soffice')}`,
    '--headless',
    '--convert-to',
    as,
    '--outdir',
    to,
    path,
  ]);
  const text = readdirSync(to).map((file) => readFileSync(join(to, file), 'utf8'));
  rmSync(to, { recursive: true });
  return { ...peer, ...(peer.ms !== undefined && { words: markers(text.join('\n')) }) };
}

async function timed(name, command, args) {
  const { status, stdout, ms: time, mb: memory } = await measuredCommand(command, args);
  if (status === undefined || status === 127) return { name: `${name} (missing)` };
  if (status !== 0) return { name: `${name} (failed)` };
  return { name, ms: time, mb: memory, words: markers(stdout) };
}

/** Pages of 40 lines. */
function longPdf() {
  const path = resolve('.bench/documents/long.pdf');
  const pages = Array.from({ length: PAGES }, (_, number) => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => `(LONG-${number + 1}-${i} tides and winds at the lighthouse) Tj T*`,
    );
    return `BT /F1 10 Tf 12 TL 72 740 Td ${lines.join('\n')} ET`;
  });
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}]/Count ${pages.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...pages.flatMap((content, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * i} 0 R>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
    ]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  writeFileSync(path, `${text}${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`);
  return path;
}
