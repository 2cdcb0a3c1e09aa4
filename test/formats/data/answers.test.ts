/** Files of data with what is usual and what is odd: the answers on record are in `test/fixtures/answers`; `vitest -u` writes them. */

import { test } from 'vitest';
import { expectAsRecorded } from '../../support/recorded.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const many = (count: number, one: (at: number) => string, joint = ''): string =>
  Array.from({ length: count }, (_, at) => one(at)).join(joint);
const LONG = 'x'.repeat(60);

/** What each file is asked for. */
const SEPARATED = `?limit=20 ?limit=2 ?limit=2&offset=2 ?where=a>1 ?where=b%20is%20null&select=a ?order=a:desc&limit=3
  ?select=none ?where=none=1 ?q=select%20count(*),min(a),max(a),typeof(a)%20from%20data%20group%20by%20typeof(a) :#[0] :#[2]
  :#[1].a :#[1].none :#[99]`;
const CSV = {
  'plain.csv': 'a,b\n1,x\n2,y\n3,\n',
  'odd.csv':
    '\ufeffa;b;a;;A\r\n1;"x;""y"" ";3\r\n\r\n02;"two\r\nlines";3;4;5;6\r\n-1.50;"open;1;2\n1e3;NULL;;\n+7;\u0000;é\n',
  'bare.csv': '1,2\n3,4\n-5,6.25\n9223372036854775808,1\n',
  'empty.csv': '',
  'head.csv': 'a,b\n',
  'one.tsv': 'a\tb\n1\t"x\ty"\n2\t"not closed\n3\tz\n',
  'piped.csv': 'a|b|c\n1|2|3\n4|5|6\n',
  'blank.csv': '\n\n  \na,b\n 1 , 2\n\t3,"4" \n',
  'latin.csv': Buffer.from('a,b\n1,\xe9\n', 'latin1'),
  'long.csv': `a,b,${many(70, (at) => `column ${at}`, ',')}\n${many(900, (at) => `${at},${LONG},${at % 7}\n`)}`,
};

const JSONS = `?limit=20 ?where=a>1 ?q=select%20json%20from%20data :#a :#a[0] :#a[1].b :#a?limit=5 :#b.c?limit=5 :#[1]
  :#[1].a[0] :#["a"][0] :#a[0]:raw :#none[0] :#a[7]`;
const DEEP = `${'['.repeat(70)}1${']'.repeat(70)}`;
const JSON_TEXTS = {
  'rows.json': '[{"a":1,"b":"x"},{"a":2.50,"c":[1,{"d":null}]},{"A":3,"a":4,"a":5},7,"t",null,[1]]',
  'keys.json':
    '{"a":[{"b":1},{"b":2,"c":"\\u00e9\\n"}],"b":{"c":[1,2],"d":{}},"":0,"x.y":{"z":true},"a":[{"b":9}]}',
  'cut.json': '[{"a":1},{"a":2},{"a":',
  'bad.json': '[{"a":1},{"a":02},{"a":3}]',
  'comment.json': '// first\n{"a":[1,2]}\n',
  'two.json': '{"a":[1]} {"a":[2]}',
  'deep.json': `{"a":${DEEP}}`,
  'scalar.json': '-1.5e+3',
  'strings.json': '{"a":["\\ud83d\\ude00","\\ud800","\\/\\b\\f\\t\\"","\\x"]}',
  'lines.jsonl': '{"a":1}\n\n[2]\n{"a":2,"b":{"c":1}}\r\nno json\n{"a":3\n"t"\n{"a":4}',
  'long.json': `{"name":"long","list":[${many(900, (at) => `{"id":${at},"text":"${LONG}"}`, ',')}],"o":{"p":{"q":1},"r":[]},"s":"${LONG}"}`,
  'longer.json': `{${many(130, (at) => `"k${at}":{"a":[{"x":1,"y":2}],"b":"${LONG.repeat(8)}"}`, ',')}}`,
  'long-cut.json': `{"list":[${many(900, (at) => `{"id":${at},"text":"${LONG}"}`, ',')}`,
  'wide.json': `{"list":[{${many(20, (at) => `"k${at}":"${LONG.repeat(60)}"`, ',')}}],"n":1}`,
  'long.jsonl': many(900, (at) => `{"id":${at},"text":"${LONG}","n":${at % 2 ? at : 'null'}}\n`),
};

const TREES = '?limit=20 :#a :#a[0] :#a[1].b :#a?limit=5 :#b.c?where=d>1 :#[1].a :#none[0] :#m["xy"][0]';
const TREE_TEXTS = {
  'keys.yaml':
    'a:\n  - &one {b: 1, c: yes}\n  - *one\n  - <<: *one\n    b: 0x1f\nb: {c: [{d: 1.50}, {d: .inf}, {d: ~}]}\nm:\n  xy: [2026-01-02, !!str 1, "\\u00e9", |\n    folded\n    ]\n',
  'lists.yaml': '- 1\n- a: [1, 2]\n  b: null\n- a: 0o17\n  c: 12345678901234567890\n- "text"\n',
  'many.yml': 'a: 1\n---\na: [2, 3]\n...\n---\n- 4\n',
  'bad.yaml': 'a: [1, 2\nb: {c\n',
  'repeated.yaml': 'a: 1\na: [2]\nb:\n  c: [{d: 1}]\n  c: [{d: 2}]\n',
  'template.yaml': 'a: {{ value }}\nb: 1\n',
  'tabs.yaml': 'a:\n\t- 1\n',
  'keys.toml':
    'a = [{b = 1}, {b = 2.0, c = "x"}]\nd = 2026-01-02T03:04:05Z\nt = 07:32:00\nl = 1979-05-27\nn = 0xff\ni = inf\n[b]\nc = [{d = 1}, {d = 2}]\n[m]\n"xy" = [true, 1_000]\n[[e]]\nf = """two\nlines"""\n[[e]]\nf = \'raw\\n\'\n',
  'bad.toml': 'a = [1, 2]\na = 3\n[b\n',
  'long.yaml': `a:\n${many(900, (at) => `  - {id: ${at}, text: ${LONG}}\n`)}b: {c: []}\n`,
  'long.toml': `x = 1\n${many(600, (at) => `[[a]]\nid = ${at}\ntext = "${LONG}"\n`)}`,
};

test.each([
  ['separated', CSV, SEPARATED],
  ['json', JSON_TEXTS, JSONS],
  ['yaml-toml', TREE_TEXTS, TREES],
] as const)('values of %s are as recorded', async (record, files, asked) => {
  const { write, text } = workspace(unhurried);
  const rests = asked.split(/\s+/);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const ofLong = ['', ...rests.slice(-5)];
  const paths = Object.keys(files).flatMap((name) =>
    (name.startsWith('long') ? ofLong : rests).map((rest) => name + rest),
  );
  await expectAsRecorded(record, paths, text);
});
