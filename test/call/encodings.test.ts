import { expect, test } from 'vitest';
import { bodyOf, codeOf, nextOf, textOf, workspace } from '../support/workspace.ts';

/** `二行目` and `漢字` in Shift_JIS. */
const SECOND = Buffer.from('93f18d7396da0a', 'hex');
const KANJI = Buffer.from('8abf8e9a', 'hex');

test.each([
  ['f:encoding=shift_jis', '1|漢字\n2|二行目\n'],
  ['f:encoding=SJIS:2..2', '2|二行目\n'],
  ['f:2..2:encoding=cp932', '2|二行目\n'],
  ['f:encoding=shift_jis:raw', '漢字\n二行目\n'],
  ['f:2..2:raw:encoding=shift_jis', '二行目\n'],
])('%s', async (path, answer) => {
  const { write, text } = workspace();
  write('f', Buffer.concat([KANJI, Buffer.from('\n'), SECOND]));
  expect(await text(path)).toBe(answer);
});

test('each next call names the encoding; pages form the text', async () => {
  const { write, read } = workspace();
  const long = Buffer.concat(Array.from({ length: 3_000 }, () => KANJI));
  write('f', Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nb\n')]));
  let got = '';
  let calls = 0;
  for (let path: string | undefined = 'f:encoding=shift_jis'; path !== undefined; calls += 1) {
    const answer = await read(path, { limits: { bytes: 1_000 }, display: 'plain' });
    path = nextOf(answer);
    if (path !== undefined) expect(path).toMatch(/^f:encoding=shift_jis:/);
    const body = bodyOf(answer);
    got += textOf(answer).includes('inside line') ? body.replace(/\n$/, '') : body;
    expect(calls).toBeLessThan(60);
  }
  expect(got.replaceAll('\n', '')).toBe(`a${'漢字'.repeat(3_000)}b`);
});

test('a declared encoding is used and reported', async () => {
  const { write, read } = workspace();
  write('a.py', Buffer.from('# -*- coding: latin-1 -*-\ns = "caf\u00e9"\n', 'latin1'));
  const answer = await read('a.py');
  expect(textOf(answer)).toBe(
    '1|# -*- coding: latin-1 -*-\n2|s = "café"\n[Decoded from windows-1252, as the text declares]',
  );
  expect(answer.details['encoding']).toBe('windows-1252');
});

test('a late Vim mode line counts after an invalid start', async () => {
  const { write, text } = workspace();
  const line = Buffer.concat([KANJI, Buffer.from('\n')]);
  const modeLine = Buffer.from('// vim: set fenc=cp932 :\n');
  const long = Buffer.concat(Array.from({ length: 2_000 }, () => line));
  write('last.c', Buffer.concat([long, modeLine, Buffer.from('1\n2\n3\n4\n')]));
  write('sixth.c', Buffer.concat([long, modeLine, Buffer.from('1\n2\n3\n4\n5\n')]));
  write('ascii.c', Buffer.concat([Buffer.alloc(8_192, 'x\n'), line, modeLine]));
  expect(await text('last.c:1..1')).toContain('1|漢字\n');
  expect(await text('last.c:1..1')).toContain('Decoded from shift_jis, as the text declares');
  expect(await text('sixth.c:1..1')).not.toContain('漢字');
  expect(await text('ascii.c:-2')).not.toContain('漢字');
});

/** In windows-1252. */
const FRENCH = Buffer.from(
  "// Vérifie que la clé existe déjà et crée le répertoire s'il n'est pas présent\n",
  'latin1',
);

test('undeclared text is decoded by a confident guess, with notice', async () => {
  const { write, read, text } = workspace();
  write('a.c', Buffer.concat([Buffer.from('int a;\n'), FRENCH]));
  const answer = await read('a.c:2..2');
  expect(textOf(answer)).toBe(
    "2|// Vérifie que la clé existe déjà et crée le répertoire s'il n'est pas présent\n" +
      '[Decoded from windows-1252, which is a guess: the text does not say. a.c:encoding=utf-8:2..2, or another name, decides]',
  );
  expect(answer.details).toMatchObject({ encoding: 'windows-1252', encodingGuessed: true });
  expect(await text('a.c:encoding=utf-8:2..2')).toContain('V\ufffdrifie');
  expect(await text('a.c:encoding=iso-8859-15:2..2')).not.toContain('[');
});

test('the guess uses the first 64 KiB for any part', async () => {
  const { write, text } = workspace();
  write('late.c', Buffer.concat([Buffer.alloc(60_000, 'int a;\n'), Buffer.from('\n'), FRENCH]));
  write('later.c', Buffer.concat([Buffer.alloc(70_000, 'int a;\n'), Buffer.from('\n'), FRENCH]));
  expect(await text('late.c:1..1')).toContain('Decoded from windows-1252');
  expect(await text('late.c:-1')).toContain('Vérifie');
  expect(await text('later.c:-1')).toContain(
    '[7 invalid UTF-8 sequences shown as U+FFFD; later.c:encoding=windows-1252:-1 decodes it otherwise]',
  );
});

test('without a confident guess text is UTF-8, with another call', async () => {
  const { write, text } = workspace();
  write('menu.txt', Buffer.from('caf\u00e9\nth\u00e9\n', 'latin1'));
  expect(await text('menu.txt:2..2')).toBe(
    '2|th\ufffd\n[1 invalid UTF-8 sequence shown as U+FFFD; menu.txt:encoding=windows-1252:2..2 decodes it otherwise]',
  );
  expect(await text('menu.txt:encoding=windows-1252:2..2')).toBe('2|thé\n');
});

test('map and outline are made from the decoded text', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  const method = Buffer.from(
    '  // Crée le répertoire s\'il n\'est pas présent\n  static String réponse(int clé) {\n    int a = clé;\n    int b = a;\n    return "" + b;\n  }\n\n',
    'latin1',
  );
  write(
    'A.java',
    Buffer.concat([
      Buffer.from('class A {\n'),
      ...Array.from({ length: 120 }, () => method),
      Buffer.from('}\n'),
    ]),
  );
  expect(await text('A.java')).toContain('static String réponse(int clé)');
  expect(await text('A.java:outline')).toContain('réponse(int clé)');
});

test.each([
  [
    'f:encoding=klingon',
    'The selector :encoding=klingon is invalid: the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le. Use f:encoding=utf-8.',
  ],
  ['.:encoding=gbk', '. is not a stored text: :encoding is for those. Use . as it is.'],
])('%s is refused', async (path, message) => {
  const { write, read } = workspace();
  write('f', 'x\n');
  const answer = await read(path);
  expect([codeOf(answer), textOf(answer)]).toEqual(['BAD_SELECTOR', message]);
});
