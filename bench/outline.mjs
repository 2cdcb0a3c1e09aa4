// Outlines and maps of real files, compared with Universal Ctags: symbols found, their ranges, damaged files, bytes.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createOriel } from '../dist/index.js';
import { filesOf, languages } from './lib/corpus.mjs';
import { ctags, hasCtags } from './lib/ctags.mjs';
import { folder } from './lib/data.mjs';
import { grammars, symbolsOf } from './lib/outline.mjs';
import { sized } from './lib/quick.mjs';
import { declarations } from './lib/typescript-truth.mjs';

const percent = (part, whole) => (whole === 0 ? undefined : `${((100 * part) / whole).toFixed(1)} %`);

/** Normalizes `#private`, `"quoted"`, `List<int>` and `operator +` to the names of Ctags. */
const plain = (name) =>
  name
    .replace(/^[#"'`]|["'`]$/g, '')
    .replace(/<.*$/, '')
    .replace(/^operator\s+/, 'operator');

/** Our symbol for one of Ctags: the same name on the same line, or around it; parts of `namespace a::b` count as one. */
function ours(symbols, { name, line }) {
  const named = symbols.filter(
    (one) => plain(one.name) === plain(name) || one.qualified.split('.').includes(plain(name)),
  );
  return named.find(({ at }) => at === line) ?? named.find(({ from, at }) => from <= line && line <= at + 2);
}

const compared = new Set([
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'impl',
  'module',
  'type',
  'function',
  'method',
]);

async function beside(language) {
  const total = {
    files: 0,
    theirs: 0,
    ours: 0,
    found: 0,
    ranges: 0,
    right: 0,
    kept: 0,
    keptOf: 0,
    peerKept: 0,
    peerKeptOf: 0,
  };
  const bytes = { text: 0, summary: 0, files: 0, summarised: 0 };
  for (const [i, path] of filesOf(language, sized(150, 2)).entries()) {
    const text = readFileSync(path, 'utf8');
    const symbols = await symbolsOf(text, language);
    const tags = tagsOf(path, language, total);
    total.files += 1;
    total.theirs += tags.length;
    total.ours += symbols.filter(({ kind }) => compared.has(kind)).length;
    total.found += tags.filter((tag) => ours(symbols, tag) !== undefined).length;
    const ends = language.name.endsWith('Script')
      ? declarations(path, text)
      : tags.filter(({ end }) => end !== undefined);
    for (const tag of ends) {
      const mine = ours(symbols, tag);
      if (!mine) continue;
      total.ranges += 1;
      if (mine.to === tag.end && mine.from <= tag.line) total.right += 1;
    }
    if (i % 5 === 0) await damage(path, text, symbols, tags, language, total);
    await sizes(path, text, bytes);
  }
  if (total.files === 0) return { language: language.name, files: 'no source files here' };
  return {
    language: language.name,
    files: total.files,
    oriel: total.ours,
    ctags: total.hasFailed ? 'failed' : total.theirs,
    'of theirs found': percent(total.found, total.theirs),
    'ranges right': percent(total.right, total.ranges),
    'kept after damage': percent(total.kept, total.keptOf),
    'ctags kept': percent(total.peerKept, total.peerKeptOf),
    'files summarised': `${bytes.summarised} of ${bytes.files}`,
    'summary of text': percent(bytes.summary, bytes.text),
  };
}

function tagsOf(path, language, total) {
  if (!hasCtags()) return [];
  const tags = ctags(path, language.kinds);
  if (tags === undefined) total.hasFailed = true;
  return tags ?? [];
}

/** The same damage for both: every 2,000 characters some text is removed, or a bracket or quote is inserted. */
async function damage(path, text, symbols, tags, language, total) {
  let broken = '';
  let seed = 7;
  for (let at = 0; at < text.length; at += 2_000) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const place = at + (seed % 2_000);
    const junk = seed % 3 === 0 ? '' : '(){}["\'`<>'[seed % 10];
    broken += text.slice(at, place) + junk + text.slice(place + (seed % 8), at + 2_000);
  }
  const file = resolve(folder, `damaged${language.ending}`);
  writeFileSync(file, broken);
  const after = new Set((await symbolsOf(broken, language)).map(({ name }) => name));
  const mine = symbols.filter(({ kind }) => compared.has(kind));
  total.keptOf += mine.length;
  total.kept += mine.filter(({ name }) => after.has(name)).length;
  const peerAfter = new Set(tagsOf(file, language, total).map(({ name }) => name));
  total.peerKeptOf += tags.length;
  total.peerKept += tags.filter(({ name }) => peerAfter.has(name)).length;
}

const oriel = createOriel();

/** The size of answers for files of more than 100 lines. */
async function sizes(path, text, bytes) {
  if (text.split('\n').length <= 100) return;
  const { content, details } = await oriel.tool('read').run({ path });
  bytes.files += 1;
  if (!details.summary) return;
  bytes.summarised += 1;
  bytes.text += Buffer.byteLength(text);
  bytes.summary += Buffer.byteLength(content[0].text);
}

export async function rows() {
  if (!hasCtags()) console.log('Universal Ctags is missing: apt-get install universal-ctags');
  const table = [];
  for (const language of languages) table.push(await beside(language));
  const bytes = readdirSync(grammars).reduce((sum, file) => sum + statSync(new URL(file, grammars)).size, 0);
  table.push({ language: `all grammars, as packed: ${(bytes / 1e6).toFixed(2)} MB` });
  return table;
}
