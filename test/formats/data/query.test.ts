/** Data files are queried by value, as tables of databases are. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { withoutLag } from '../../support/lag.ts';
import { fc } from '../../support/properties.ts';
import { cells, databaseBytes, fileReader as asked, folder, reader } from '../../support/sqlite.ts';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

describe('separated values', () => {
  const ORDERS = lines(
    'id;name;price',
    '1;Anna;1.10',
    '2;"B; ""x"""',
    '9223372036854775807;C;10',
    '4;"two',
    'lines";2.50',
  );

  test('numbers are shown as written and compared as numbers', async () => {
    const read = asked('o.csv', ORDERS);
    expect((await read('?where=price > 1.1&order=price:desc')).text).toBe(
      lines(
        '| id                  | name         | price |',
        '|---------------------|--------------|-------|',
        '| 9223372036854775807 | C            | 10    |',
        '| 4                   | "two\\nlines" | 2.50  |',
        '[The separator is ;]',
        '[Of 4 rows read, 1 row has more or fewer cells than there are columns. Use o.csv:@26+12 for it]',
      ).trimEnd(),
    );
    expect(cells((await read('?where=id = 9223372036854775807')).text)).toEqual([
      ['9223372036854775807', 'C', '10'],
    ]);
    expect(cells((await read('?where=price is null&select=name')).text)).toEqual([['B; "x"']]);
    expect(cells((await read('?q=select sum(price), count(*) from data')).text)).toEqual([['13.6', '4']]);
  });

  test('a carriage return alone ends the lines of a file without other ends outside quotes', async () => {
    const read = asked('o.csv', 'sep=;\ra;b\r1;x\r2;"y\rz"\r3;"p\n""q"\r');
    expect(cells((await read('?where=a > 0')).text)).toEqual([
      ['1', 'x'],
      ['2', '"y\\x0dz"'],
      ['3', '"p\\n\\"q"'],
    ]);
    expect((await read(':#[1].b')).text).toContain('"y\\rz"');
    expect(cells((await asked('o.jsonl', '{"a":1}\r{"a":2}\r')('?limit=5')).text)).toEqual([['1'], ['2']]);
  });

  test('what a condition cannot find, and cells without a column, are said', async () => {
    const latin = asked('o.csv', Buffer.from('a,b\n1,caf\xe9\n2,tea\n', 'latin1'));
    expect((await latin("?where=b = 'café'")).text).toContain(
      '[Of 2 rows read, 1 row has bytes that are not UTF-8, which no condition finds as letters. Use o.csv:@4+6 for it]',
    );
    const wide = (cell: (at: number) => string): string =>
      Array.from({ length: 951 }, (_, at) => cell(at)).join();
    const { text } = await asked(
      'o.csv',
      lines(
        wide((at) => `c${at}`),
        wide(String),
      ),
    )('?select=c949');
    expect(text).toContain(
      '[Of 1 row read, 1 row has over 950 cells, of which the others are left out. Use o.csv:@',
    );
  });

  test('leading zeros make a column of texts', async () => {
    const read = asked('o.csv', lines('zip,n', '01234,1', '94110,2'));
    expect(cells((await read(`?where=zip = '01234'`)).text)).toEqual([['01234', '1']]);
    expect(cells((await read(`?where=zip = '1234'`)).text)).toEqual([]);
  });

  test('texts that look like numbers are said to be compared as texts', async () => {
    const read = asked('o.csv', lines('n,price,id', '5,"1,000",a', '10,900,b', 'n/a,"2,500",c', '7,$3,d'));
    const { text } = await read('?where=n > 6');
    expect(cells(text).map(([n]) => n)).toEqual(['n/a', '7']);
    expect(text).toContain(
      `[n holds texts such as n/a, which are compared as texts: '10' comes before '9'; cast("n" as real) is a number]`,
    );
    expect(cells((await read('?where=cast("n" as real) > 6')).text).map(([n]) => n)).toEqual(['10', '7']);
    expect((await read('?order=price:desc')).text).toContain(
      "[price holds texts such as 1,000, which are compared as texts: '10' comes before '9']",
    );
    for (const query of ["?where=n = '10'", '?where=id > 5', '?select=n&limit=9'])
      expect((await read(query)).text).not.toContain('as texts');
  });

  test('what follows a closed quote belongs to its cell', async () => {
    const read = asked('o.csv', lines('a,b', '1,"x ""y"" "z', '"2",3'));
    expect(cells((await read('?limit=9')).text)).toEqual([
      ['1', 'x "y" z'],
      ['2', '3'],
    ]);
  });

  test('a huge line is left out and counted, the others stay', { tags: 'slow' }, async () => {
    const read = asked('o.csv', lines('a,b', `1,${'x,'.repeat(5 << 20)}`, '2,y'));
    const { text } = await withoutLag(() => read('?where=a > 0'));
    expect(cells(text)).toEqual([['2', 'y']]);
    expect(text).toContain('1 row is over 4 MiB and was left out. Use o.csv:@4+');
  });

  test('a condition may name a rowid at which no row begins', async () => {
    const read = asked('o.csv', 'a,b\n100,1\n200,2\n');
    expect(cells((await read('?where=rowid > 5')).text)).toEqual([['200', '2']]);
  });

  test('names that SQLite takes for one are told apart', async () => {
    const head = (text: string): string | undefined => text.split('\n')[0];
    const csv = asked('o.csv', lines('a,a as written', '1,2'));
    expect(head((await csv('?limit=1')).text)).toBe('| a | a as written 2 |');
    const json = asked('o.jsonl', lines('{"id":1,"ID":2.0,"a as written":3,"a":4,"n\\u0000":5}', '{"ID":7}'));
    const { text } = await json('?where="ID 2" > 1');
    expect(head(text)).toBe('| id   | ID 2 | a as written 2 | a    | n    |');
    expect(cells(text)).toEqual([
      ['1', '2.0', '3', '4', '5'],
      ['NULL', '7', 'NULL', 'NULL', 'NULL'],
    ]);
    expect(text).not.toContain('no columns');
  });

  test('errors name the columns and a call that works', async () => {
    const read = asked('o.csv', 'a,b\n1,2\n');
    expect(await read('?where=nope = 1')).toMatchObject({ code: 'BAD_QUERY', next: 'o.csv' });
    expect((await read('?order=c')).text).toContain('its columns are a, b');
    expect((await read('?select=a,c')).text).toContain('its columns are a, b');
    expect(await read('?limit=0')).toMatchObject({ code: 'BAD_QUERY' });
    expect((await read('?q=delete from data')).code).toBe('READ_ONLY');
    expect((await asked('u.csv', Buffer.from('\ufeffa,b', 'utf16le'))('?limit=1')).code).toBe('UNSUPPORTED');
  });

  test('lines and maps of the file stay as they are', async () => {
    const read = asked('o.csv', 'a,b\n1,2\n');
    expect((await read('')).text).toBe('1|a,b\n2|1,2\n');
    expect((await read(':2')).text).toContain('2|1,2');
  });
});

describe('JSON', () => {
  test('lines of JSON keep integers, decimals and damaged neighbours', async () => {
    const read = asked(
      'x.jsonl',
      lines(
        '{"id":9007199254740993,"v":1.10,"on":true,"in":{"a": [1]}}',
        '{"id":2,"id":3}',
        '{"id":',
        '[7]',
        '{"id":"5","late":1}',
      ),
    );
    const { text } = await read('?where=id > 2&select=id,v,on,in');
    expect(text).toBe(
      lines(
        '| id               | v    | on   | in         |',
        '|------------------|------|------|------------|',
        '| 9007199254740993 | 1.10 | true | {"a": [1]} |',
        '| 3                | NULL | NULL | NULL       |',
        '| 5                | NULL | NULL | NULL       |',
        '[Of 5 rows read, 1 row has a key twice, of which the last is shown. Use x.jsonl:@59+15 for it]',
        '[Of 5 rows read, 1 line is not JSON and was left out. Use x.jsonl:@75+6 for it]',
        '[Of 5 rows read, 1 row is no object: where json … finds its text. Use x.jsonl:@82+3 for it]',
      ).trimEnd(),
    );
    expect(cells((await read(`?where="in" ->> '$.a[0]' = 1 and "on"&select=v`)).text)).toEqual([['1.10']]);
    expect(cells((await read('?where=id = 9007199254740992')).text)).toEqual([]);
  });

  test('items of an array, at the top or at a path', async () => {
    const read = asked(
      'x.json',
      '{"n": 1, "deep": {"rows": [{"a": 1.0}, {"a": 2, "b": "x"}, 5]}, "list": [3, "4"]}',
    );
    expect(cells((await read(':#deep.rows?where=a > 1')).text)).toEqual([['2', 'x']]);
    expect(cells((await read(':#list?order=value:desc')).text)).toEqual([['4'], ['3']]);
    expect(await read('?limit=5')).toMatchObject({ code: 'BAD_SELECTOR', next: 'x.json:#list?limit=20' });
    expect(await read(':#deep.none?limit=5')).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of a repeated path the rows of the last are shown', async () => {
    const note = '[The path occurs 2 times, of which the last is shown]';
    const read = asked('x.json', '{"a": [{"x": 1}], "b": {"c": [1]}, "a": [{"x": 2}, {"x": 3}], "b": {}}');
    const { text } = await read(':#a?limit=1');
    expect(text).toContain(`| 2 |\n${note}\n[Showing row 1 of 2. Use `);
    const next = /Use (?:'x\.json|x\.json)([^' ]*)/.exec(text)?.[1] ?? '';
    expect((await read(next)).text).toBe(`| x |\n|---|\n| 3 |\n${note}`);
    expect(await read(':#b.c?limit=1')).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a value by its path is shown as it is written', async () => {
    const read = asked(
      'x.json',
      '{"a": {"b": [1, {"c.d": {"e": [1.10,\n  12345678901234567890]}}]}, "n": [1], "n": [2]}',
    );
    expect((await read(':#a.b[1]["c.d"].e')).text).toBe('[1.10,\n  12345678901234567890]');
    expect((await read(':#a.b[1]["c.d"].e[1]')).text).toBe('12345678901234567890');
    expect((await read(':#a.b[1]["c.d"].e:2')).text).toContain('  12345678901234567890]');
    expect((await read(':#n[0]')).text).toBe('2\n[The path occurs 2 times, of which the last is shown]');
    expect((await read(':#a.b[7]')).code).toBe('NOT_FOUND');
    expect(await asked('y.json', '{"a": [1, 2')(':#a[1]')).toMatchObject({ code: 'CORRUPT' });
    expect((await asked('y.json', '{"a": [1, 2')(':#a[0]')).text).toMatch(
      /^1\n\[The text is no JSON from byte 11 on/,
    );
  });

  test('lines of JSON in a file named json are rows, too', async () => {
    expect(cells((await asked('x.json', '{"a":1}\n{"a":2}\n')('?where=a = 2')).text)).toEqual([['2']]);
  });
});

test('a long path that is none is refused at once', async () => {
  const read = asked('o.json', '{"a":1}');
  expect((await read(`:#${'["a"]'.repeat(200)},`)).code).not.toBe('OK');
});

test('an empty text is not NULL', async () => {
  const read = asked('o.csv', lines('a,b', ',""', '1,2'));
  expect(cells((await read("?where=b = ''")).text)).toEqual([['NULL', '']]);
  expect((await read('?where=b is null')).text).toContain('(no rows)');
  expect(cells((await asked('x.jsonl', '{"a":""}')('?where=a is not null')).text)).toEqual([['']]);
});

describe('YAML and TOML', () => {
  const YAML = lines(
    'base: &base {cpu: 1.50, big: 12345678901234567890, hex: 0x1F}',
    'svc:',
    '  web:',
    '    - <<: *base',
    '      cpu: 2.0',
    '      cpu: 3.10',
    '    - *base',
  );

  test('anchors and merge keys are resolved, numbers stay as written', async () => {
    const read = asked('x.yaml', YAML);
    const repeated = '[1 key is repeated, of which the last counts. Use x.yaml:6 for it]';
    const { text } = await read(':#svc.web?where=cpu > 1.4&order=cpu');
    expect(text).toContain('| 1.50 | 12345678901234567890 | 31  |');
    expect(text).toContain(`| 3.10 | 12345678901234567890 | 31  |\n${repeated}`);
    expect((await read(':#svc.web[1].cpu')).text).toBe(`1.50\n${repeated}`);
    expect((await read(':#svc.web[9]')).code).toBe('NOT_FOUND');
  });

  test('aliases of aliases are refused, those of themselves are said', async () => {
    const levels = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${'*a' + at}, *a${at}]`);
    const bomb = await asked('x.yaml', lines('a0: &a0 [x]', ...levels))('?limit=1');
    expect(bomb).toMatchObject({ code: 'LIMIT' });
    expect(bomb.text).toContain('more than 16 MiB; its lines can be read');
    const merges = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}`);
    expect((await asked('m.yaml', lines('a0: &a0 {k: 1}', ...merges))(':#[0]')).code).not.toBe('TIMEOUT');
    expect((await asked('y.yaml', 'a: &a [1, *a]\n')(':#a[0]')).text).toMatch(
      /^1\n\[The YAML is damaged at line 1/,
    );
  });

  test.each([
    ['lists', '[', '[0]'],
    ['closed lists', '[', '[0]', ']'],
    ['lists in block form', '- ', '[0]'],
    ['maps', '{a: ', '["a"]'],
    ['maps in lists', '- a: [', '[0].a'],
  ])('%s nested too deep are read up to there', async (_, unit, path, end = '') => {
    const text = lines(unit.repeat(20_000) + end.repeat(20_000));
    const { code, text: shown } = await asked('w.yaml', text)(`:#${path}:raw`);
    expect(code).toBe('OK');
    expect(shown).toMatch(/^[[{][^]*The YAML is damaged at line 1: it is nested too deep;/);
  });

  test('the name of a key that is no scalar is what is written, whatever it holds', async () => {
    const { text } = await asked('x.yaml', lines('- ? [a, {b: 1}]', '  : 7'))('?limit=1');
    expect(text).toContain('| [a, {b: 1}] |');
    const quoted = `${'{? '.repeat(400)}x${'}'.repeat(400)}`;
    expect(await asked('y.yaml', lines(`- a: 7`, `  ? ${quoted}`, '  : 8'))(':#[0].a')).toMatchObject({
      code: 'OK',
      text: expect.stringMatching(/^7/),
    });
  });

  test('chains of merges, and lists as keys, are bounded', { tags: 'slow' }, async () => {
    const chain = Array.from({ length: 2_000 }, (_, at) => `a${at + 1}: &a${at + 1} {<<: *a${at}}`);
    expect(await asked('n.yaml', lines('a0: &a0 {k: 1}', ...chain))(':#["a2000"].k')).toMatchObject({
      code: 'LIMIT',
      text: expect.stringContaining('or 500 in one another'),
    });
    const large = Array.from({ length: 20_000 }, () => 'xxxxxxxxxx').join(', ');
    const keys = Array.from({ length: 200 }, () => '? *b\n: 1');
    const read = asked('z.yaml', lines(`b: &b [${large}]`, ...keys));
    expect((await read(':#b[1]')).text).toMatch(/^"xxxxxxxxxx"/);
  });

  test('values of YAML 1.1 are those of that version', async () => {
    const read = asked(
      'x.yaml',
      lines(
        '%YAML 1.1',
        '---',
        'base: &base {a: -0x1F, b: 0x_FF, c: 010, d: yes}',
        'all:',
        '  - {<<: *base, day: 2001-12-14}',
        '  - !!binary aGVsbG8=',
        '  - !!omap [{x: 1}]',
      ),
    );
    expect((await read(':#all[0]:raw')).text.replace(/\s+/g, '')).toBe(
      '{"day":"2001-12-14","a":-31,"b":255,"c":8,"d":true}',
    );
    expect((await read(':#all[1]')).text).toBe('"aGVsbG8="\n');
    expect((await read(':#all[2][0].x')).text).toBe('1\n');
  });

  test('TOML keeps decimals, and is read up to its damage', async () => {
    const read = asked(
      'x.toml',
      lines(
        'arr = [ 1.0, # one',
        ' 2.50 ]',
        '3.14 = "pi"',
        '[[p]]',
        'n = 9223372036854775807',
        'v = 1.10',
        '[[p]]',
        'v = 20.50',
        'bad = = 1',
      ),
    );
    const damage = /\[The TOML is damaged at line 9: .*Use x\.toml:9 for that place\]$/;
    const { text } = await read(':#p?where=v < 20');
    expect(text).toContain('| 9223372036854775807 | 1.10 |');
    expect(text).toMatch(damage);
    expect((await read(':#arr[1]')).text).toMatch(/^2\.50\n/);
    expect((await read(':#["3"]["14"]')).text).toMatch(/^"pi"\n/);
  });

  test('TOML keeps dates and times as they are written', async () => {
    const written = ['1979-05-27T00:32:00.999999-07:00', '1979-05-27 07:32:00', '1979-05-27', '07:32:00'];
    const read = asked('x.toml', lines(`d = [ ${written.join(', ')} ]`, 's = "\\uE000float:]"'));
    for (const [at, date] of written.entries()) expect((await read(`:#d[${at}]`)).text).toBe(`"${date}"\n`);
    expect((await read(':#["s"]')).text).toContain('float:]"');
  });
});

describe('a bare read of more than 12 KiB', () => {
  test('of rows is their columns with the first ones, and every call works', async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => `${at},name ${at}`);
    const read = asked('o.csv', lines('id,name', ...rows));
    const { text } = await read('');
    expect(text).toMatch(/^id: number\nname: text\n\n\| id \| name {3}\|\n/);
    expect(text).toContain('[Use o.csv:1.. for the text]');
    expect((await read(':1..')).text).toContain('1|id,name');
    const [, next = ''] = /Use o\.csv(\S+) to continue/.exec(text) ?? [];
    expect(cells((await read(next)).text)[0]).toEqual(['5', 'name 5']);
  });

  test('a long object does not hide the keys behind it', async () => {
    const scripts = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`s${at}`, 'node scripts.mjs']),
    );
    const { text } = await asked('package.json', JSON.stringify({ scripts, dependencies: { a: '1' } }))('');
    expect(text).toContain('scripts: {600 keys}\n  s0: "node scripts.mjs"\n');
    expect(text).toContain('\ndependencies: {1 key}\n  a: "1"\n… 551 more keys\n');
  });

  test('of what ends behind the first 8 MiB only the least is known', { tags: 'slow' }, async () => {
    const { text } = await asked('big.json', `{"a":[1,2],"b":{"c":[${'1,'.repeat(5_000_000)}1]}}`)('');
    expect(text).toContain('a: [2 items]\nb: {at least 1 key}\n  c: [at least ');
    expect(text).toContain('[Only the first 8 MiB were looked at]');
  });

  test('every call of a shape works for keys with any characters', async () => {
    const value = { 'a b?': { 'c:d': [1, 2, 3] }, '#x': [1, 2], '"': [{ a: 1 }], long: 'x'.repeat(13_000) };
    const read = asked('x.json', JSON.stringify(value));
    const { text } = await read('');
    const calls = /Read values with (.*)\]$/m.exec(text)?.[1]?.split(', ') ?? [];
    expect(calls).toHaveLength(4);
    for (const call of calls) expect((await read(call.slice('x.json'.length))).code, call).toBe('OK');
  });

  test('every call of it works for a member of an archive', async () => {
    const items = Array.from({ length: 900 }, (_, id) => ({ id, name: `n${id}` }));
    const read = asked('x.json.gz', gzipSync(JSON.stringify({ meta: { a: [1] }, items })));
    expect((await read('')).text).toContain('Read values with x.json.gz:#items?limit=20, x.json.gz:#meta');
    expect(cells((await read(':#items?where=id > 897')).text)).toHaveLength(2);
    expect((await read(':#meta.a[0]')).text).toBe('1');
  });

  test.each([
    ['comments', 'tsconfig.json', (filler: string) => `{"a": {\n// one\n"b": "${filler}"}}`],
    ['no JSON', 'x.json', (filler: string) => `<html>${filler}</html>`],
    ['no line of JSON', 'x.jsonl', (filler: string) => `${filler}\n`],
    ['a header alone', 'x.csv', (filler: string) => filler],
    ['a template', 'x.yaml', (filler: string) => `{{- if .a }}\nitems: ${filler}\n{{- end }}\n`],
    ['UTF-16', 'x.csv', (filler: string) => Buffer.from(`\ufeffid,n\n1,${filler}\n`, 'utf16le')],
  ])('of %s is the text', async (_, name, content) => {
    const { text } = await asked(name, content('word '.repeat(3000)))('');
    expect(text).toMatch(/^1\|/);
    expect(text).not.toContain('for the text]');
  });
});

describe('as SQLite answers', () => {
  const value = fc.oneof(
    fc.integer({ min: -50, max: 50 }).map(String),
    fc.integer({ min: -500, max: 500 }).map((n) => (n / 8).toString()),
    fc.constantFrom('', '9007199254740993', '9007199254740992', '1e3', '-0.5'),
  );
  const word = fc.constantFrom('', 'a', 'B', 'aa', 'Oslo', '"', "it's", 'é', 'x,y', '10', '9', '01');
  const row = fc.tuple(value, value, word);
  const operand = fc.constantFrom(
    'n',
    'm',
    'w',
    '3',
    '-1.5',
    "'a'",
    "'9'",
    'n + m',
    'length(w)',
    '9007199254740993',
  );
  const condition = fc.oneof(
    fc.tuple(operand, fc.constantFrom('=', '<', '>=', '<>', 'is'), operand).map((all) => all.join(' ')),
    fc.constantFrom(
      'n is null',
      "w like 'a%'",
      'n between -5 and 20',
      "w in ('a', 'Oslo', '10')",
      'm not null',
    ),
  );
  const where = fc.tuple(condition, fc.constantFrom('and', 'or'), condition).map((all) => all.join(' '));

  test('generated tables and conditions', { tags: 'slow' }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.array(where, { minLength: 1, maxLength: 8 }),
        async (rows, conditions) => {
          const cwd = folder();
          const quoted = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);
          writeFileSync(
            join(cwd, 't.csv'),
            lines('n,m,w,at', '1,1,a,0', ...rows.map(([n, m, w], at) => `${n},${m},${quoted(w)},${at + 1}`)),
          );
          const sql = (text: string): string => (text === '' ? 'null' : `'${text.replaceAll("'", "''")}'`);
          const all = [['1', '1', 'a'], ...rows] as const;
          const values = all.map((cellsOf, at) => `(${cellsOf.map(sql).join()},${at})`).join();
          writeFileSync(
            join(cwd, 't.db'),
            await databaseBytes(
              `create table t(n numeric, m numeric, w text, at numeric); insert into t values ${values}`,
            ),
          );
          const read = reader(cwd);
          for (const one of conditions) {
            const of = (path: string): Promise<string[]> =>
              read(`${path}?select=at&where=${one}`).then(({ text }) => cells(text).flat());
            expect(await of('t.csv'), one).toEqual(await of('t.db:t'));
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});
