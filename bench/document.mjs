// Documents: converted by a warm child, read again, one page of a long one, and searched; beside pdftotext and LibreOffice
// where they are installed. Marker words are counted in what each of them gives.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { insideProcess } from './lib/process.mjs';
import { quick } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const fixtures = 'test/fixtures/documents';
const oursModule = fileURLToPath(new URL('./lib/ours.mjs', import.meta.url));
const MARKER = /\b(?:MARK|SLIDE|SHEET|COLSEQ)-[A-Z0-9-]+\d/g;

export async function rows() {
  mkdirSync('.bench/documents', { recursive: true });
  const names = readdirSync(fixtures).filter((name) => !/\.gz$|^encrypted|^noxref|^small/.test(name));
  const long = longPdf();
  return [
    ...names.map((name) => converted(join(fixtures, name))),
    page(`${long}:p200`, 'a page of 400'),
    page(long, 'the first page of 400'),
    searched(long),
  ];
}

function converted(path) {
  const wide = { lines: 100_000, bytes: 10_000_000, tokens: 10_000_000 };
  const anew = insideProcess(oursModule, {
    input: { path: `${path}:raw` },
    fresh: true,
    repeat: 7,
    limits: wide,
  });
  const again = insideProcess(oursModule, { input: { path: `${path}:raw` }, repeat: 7, limits: wide });
  const peer = peerOf(path);
  return {
    what: basename(path),
    'first call': ms(anew.cold),
    'warm child': ms(anew.warm),
    again: ms(again.warm),
    'our memory': mb(anew.mb),
    words: markers(textOf(path, wide)),
    peer: peer.name,
    'peer time': ms(peer.ms),
    'peer words': peer.words,
    ratio: ratio(anew.warm, peer.ms),
  };
}

function page(path, what) {
  const anew = insideProcess(oursModule, { input: { path }, fresh: true, repeat: 5 });
  const again = insideProcess(oursModule, { input: { path }, repeat: 5 });
  return {
    what,
    'first call': ms(anew.cold),
    'warm child': ms(anew.warm),
    again: ms(again.warm),
    'our memory': mb(anew.mb),
  };
}

function searched(path) {
  const input = { path, pattern: 'LONG-399-1', literal: true };
  const anew = insideProcess(oursModule, { tool: 'grep', input, fresh: true, repeat: 3 });
  const again = insideProcess(oursModule, { tool: 'grep', input, repeat: 5 });
  const peer = timed('pdftotext | grep', 'sh', ['-c', `pdftotext '${path}' - | grep LONG-399-1`]);
  return {
    what: 'grep in 400 pages',
    'first call': ms(anew.cold),
    'warm child': ms(anew.warm),
    again: ms(again.warm),
    'our memory': mb(anew.mb),
    peer: peer.name,
    'peer time': ms(peer.ms),
    ratio: ratio(anew.warm, peer.ms),
  };
}

function textOf(path, limits) {
  const code = `
    import { createOriel } from ${JSON.stringify(resolve('dist/index.js'))};
    const oriel = createOriel({ limits: ${JSON.stringify(limits)} });
    const answer = await oriel.tool('read').run({ path: ${JSON.stringify(`${path}:raw`)} });
    process.stdout.write(answer.content[0].text);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

const markers = (text) => new Set(text.match(MARKER) ?? []).size;

function peerOf(path) {
  if (path.endsWith('.pdf')) return timed('pdftotext -layout', 'pdftotext', ['-layout', path, '-']);
  if (quick || !/\.(?:docx?|odt)$/.test(path)) return { name: '-' };
  const to = mkdtempSync(join(tmpdir(), 'oriel-bench-'));
  const peer = timed('soffice', 'soffice', ['--headless', '--convert-to', 'txt:Text', '--outdir', to, path]);
  const [file] = readdirSync(to);
  const words = file === undefined ? undefined : markers(readFileSync(join(to, file), 'utf8'));
  rmSync(to, { recursive: true });
  return { ...peer, words };
}

function timed(name, command, args) {
  const start = performance.now();
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) return { name: `${name} (missing)` };
  return { name, ms: performance.now() - start, words: markers(stdout) };
}

/** 400 pages of 40 lines. */
function longPdf() {
  const path = resolve('.bench/documents/long.pdf');
  const pages = Array.from({ length: 400 }, (_, number) => {
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
