import { expect, test } from 'vitest';
import { Snapshots } from '../../src/session/snapshots.ts';
import { textOf, workspace } from '../support/workspace.ts';

const digest = (start: string, rest: string): string => start + rest.padStart(60, '0');

test('the same content has the same tag; contents of one path never share one', () => {
  const snapshots = new Snapshots();
  expect(snapshots.tag('f', digest('beef', '1'))).toBe('BEEF');
  expect(snapshots.tag('f', digest('beef', '2'))).toBe('BEF0');
  expect(snapshots.tag('f', digest('beef', '1'))).toBe('BEEF');
  expect(snapshots.tag('g', digest('beef', '3'))).toBe('BEEF');
  expect(snapshots.tag('h', digest('ffff', '1')) + snapshots.tag('h', digest('ffff', '2'))).toBe('FFFF0000');
});

test('thirty paths are remembered, the least recently read goes first', () => {
  const snapshots = new Snapshots();
  const tags = Array.from({ length: 30 }, (_, i) => snapshots.tag(`f${i}`, digest('0001', String(i))));
  for (const [i, tag] of tags.entries()) snapshots.see(`f${i}`, tag, [[1, `line of ${i}`]]);
  snapshots.tag('f0', digest('0001', '0'));
  snapshots.tag('f30', digest('0001', 'x'));
  expect(snapshots.recall('f0', '0001', 1)).toBe('line of 0');
  expect(snapshots.recall('f1', '0001', 1)).toBeUndefined();
});

test('a stale anchor is recovered: what the line said when it was shown', async () => {
  const { W, write, read, oriel } = workspace();
  const options = { display: 'hashline' as const, session: oriel.session };
  write('f', 'one\ntwo\nthree\n');
  const before = await read('f:2..3', options);
  const tag = before.details['snapshot'] as string;
  expect(textOf(before)).toBe(`¶f#${tag}\n2:two\n3:three\n`);
  write('f', 'zero\none\ntwo\n');
  const after = await read('f', options);
  expect(after.details['snapshot']).not.toBe(tag);
  const { snapshots } = oriel.session;
  expect(snapshots.recall(`${W}/f`, tag, 2)).toBe('two\n');
  expect(snapshots.recall(`${W}/f`, tag, 1)).toBeUndefined();
  expect([...snapshots.seen(`${W}/f`, after.details['snapshot'] as string).keys()]).toEqual([1, 2, 3]);
});

test('a file that was only touched keeps its tag; raw text and listings have none', async () => {
  const { write, read, oriel } = workspace();
  const options = { display: 'hashline' as const, session: oriel.session };
  write('f', 'same\n');
  const first = await read('f', options);
  write('f', 'same\n');
  expect((await read('f', options)).details['snapshot']).toBe(first.details['snapshot']);
  expect(textOf(await read('f:raw', options))).toBe('same\n');
  expect(textOf(await read('.', options))).toBe('f  5 B  now\n');
});
