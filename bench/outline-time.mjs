// Times of outlines and maps, compared with Universal Ctags, which is a process for each file.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesOf, languages } from './lib/corpus.mjs';
import { hasCtags } from './lib/ctags.mjs';
import { folder } from './lib/data.mjs';
import { cli, insideProcess, wholeProcess } from './lib/process.mjs';
import { quick } from './lib/quick.mjs';
import { ms, ratio } from './lib/table.mjs';

/** A file of a given size, concatenated from real files of the language. */
function made(language, name, isEnough) {
  const path = resolve(folder, `made-${name}${language.ending}`);
  let text = '';
  for (const file of filesOf(language)) {
    if (isEnough(text)) break;
    text += readFileSync(file, 'utf8');
  }
  while (!isEnough(text) && text.length > 0) text += text;
  const lines = text.split('\n');
  const cut =
    name === '2 MiB' ? text.slice(0, 2 << 20) : lines.slice(0, Number(name.replace(/\D/g, ''))).join('\n');
  writeFileSync(path, `${cut}\n`);
  return path;
}

function times(language) {
  if (filesOf(language, 1).length === 0) return [{ language: language.name, size: 'no source files here' }];
  const sizesOf = [
    ['300 lines', (text) => text.split('\n').length > 300],
    ...(quick
      ? []
      : [
          ['5000 lines', (text) => text.split('\n').length > 5_000],
          ['2 MiB', (text) => text.length > 2 << 20],
        ]),
  ];
  return sizesOf.map(([name, isEnough]) => {
    const path = made(language, name, isEnough);
    const fresh = insideProcess('ours', { input: { path: `${path}:outline` }, fresh: true, repeat: 9 });
    const whole = insideProcess('ours', { input: { path }, fresh: true, repeat: 9 });
    const again = insideProcess('ours', { input: { path }, repeat: 9 });
    const peer = hasCtags() ? ctagsTime(path) : undefined;
    return {
      language: language.name,
      size: name,
      'outline, parsed anew': ms(fresh.warm),
      'read, parsed anew': ms(whole.warm),
      'read again': ms(again.warm),
      'first call of a process': ms(whole.cold),
      'oriel, whole process': ms(wholeProcess(process.execPath, [cli, 'read', path], 3)),
      'ctags, whole process': ms(peer),
      ratio: ratio(fresh.warm, peer),
    };
  });
}

/** In ms; NaN if it failed. */
function ctagsTime(path) {
  try {
    return wholeProcess('ctags', ['--fields=+ne', '-o', '-', path], 5);
  } catch {
    return NaN;
  }
}

export const rows = () => languages.flatMap(times);
