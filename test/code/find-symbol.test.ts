import { expect, test } from 'vitest';
import { findSymbol, findNamedSymbols } from '../../src/code/find-symbol.ts';
import { found } from '../support/structure.ts';

const { symbols } = await found(
  'app.ts',
  `class Server {
  start() {
    run();
  }
  stop() {}
}
class Client {
  start() {
    run();
  }
}
function over(a: string): void;
function over(a: number): void;
function over(a: unknown) {
  log(a);
}
function twice() {
  one();
}
function twice() {
  two();
}
`,
);

const lines = (name: string): unknown => {
  const result = findSymbol(symbols, name);
  return 'one' in result
    ? [result.one.from, result.one.to]
    : result.candidates.map(({ qualified, from }) => `${qualified}@${from}`);
};

test('a qualified name, in any notation', () => {
  for (const name of ['Server.start', 'Server::start', 'Server#start']) expect(lines(name)).toEqual([2, 4]);
});

test('a unique last part', () => {
  expect(lines('stop')).toEqual([5, 5]);
});

test('a name of several symbols gives the candidates', () => {
  expect(lines('start')).toEqual(['Server.start@2', 'Client.start@8']);
  expect(lines('twice')).toEqual(['twice@17', 'twice@20']);
});

test('a name of overloads means the one with a body', () => {
  expect(lines('over')).toEqual([12, 16]);
});

test('of a prototype and its definition the definition is meant', async () => {
  const c = await found(
    'a.c',
    'int run(int a);\nint other(void) {\n  return 1;\n}\nint run(int a) {\n  return a;\n}\n',
  );
  expect(findSymbol(c.symbols, 'run')).toMatchObject({ one: { from: 5, to: 7 } });
});

test.each([
  [
    'a.pl',
    'package Foo::Bar;\nsub one {\n  return 1;\n}\n1;\n',
    ['Foo::Bar::one', 'Foo::Bar.one', 'Foo.Bar.one'],
  ],
  ['a.lua', 'local M = {}\nfunction M:b()\n  return 1\nend\n', ['M:b', 'M.b', 'b']],
])('%s: the name as the language writes it', async (path, text, names) => {
  const { symbols: own } = await found(path, text);
  for (const name of names) expect(findSymbol(own, name)).toMatchObject({ one: { from: 2, to: 4 } });
});

test('other case and punctuation, where nothing fits exactly', () => {
  expect(lines('server.START')).toEqual([2, 4]);
});

test('nothing', () => {
  expect(lines('missing')).toEqual([]);
  expect(lines('')).toEqual([]);
  expect(lines('.')).toEqual([]);
});

test('headings by their anchor', async () => {
  const notes = await found('notes.md', '# Guide\n## Install on Linux\ntext\n## Other\n');
  expect(findSymbol(notes.symbols, 'install-on-linux')).toMatchObject({ one: { from: 2, to: 3 } });
});

test('the symbols handed on are bounded and told apart', () => {
  const [one, many, swapped] = findNamedSymbols(symbols, ['Server.stop', 'start', 'strat']);
  expect(one).toEqual({ one: { from: 5, to: 5, qualified: 'Server.stop', name: 'Server.stop' } });
  expect(many).toEqual({
    candidates: [
      { from: 2, to: 4, qualified: 'Server.start', name: 'Server.start' },
      { from: 8, to: 10, qualified: 'Client.start', name: 'Client.start' },
    ],
    all: 2,
  });
  expect(swapped).toMatchObject({ near: [{ qualified: 'Server.start' }, { qualified: 'Client.start' }] });
  const [overloads, near, far] = findNamedSymbols(symbols, ['twice', 'Server.stat', 'entirely different']);
  // Two of one name: only their lines tell them apart.
  expect(overloads).toMatchObject({ candidates: [{ qualified: 'twice' }, { qualified: 'twice' }], all: 2 });
  expect(near && 'near' in near && near.near.map(({ qualified }) => qualified)).toEqual([
    'Server.start',
    'Client.start',
  ]);
  expect(far).toEqual({ near: [] });
});

test('a swapped letter is nearer than a part of the name', async () => {
  const { symbols: own } = await found(
    'a.js',
    '(function () {\n  function merge() {}\n  var mergeWith = assigner(function () {\n  });\n  var id = setTimeout(() => {}, 5);\n})();\n',
  );
  expect(own.map(({ qualified }) => qualified)).toEqual(['merge', 'mergeWith']);
  const [one] = findNamedSymbols(own, ['mergeWiht']);
  expect(one).toMatchObject({ near: [{ qualified: 'mergeWith' }, { qualified: 'merge' }] });
});

test('part of a heading’s anchor is near to the heading', async () => {
  const notes = await found('notes.md', '# Guide\n## What else is accepted\ntext\n## Encodings\n');
  const [one] = findNamedSymbols(notes.symbols, ['what-else']);
  expect(one).toMatchObject({ near: [{ from: 2, to: 3 }] });
});
