import { expect, test } from 'vitest';
import { findSymbol, findSymbols } from '../../src/views/find-symbol.ts';
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

test('of overloads the one with a body is meant', () => {
  expect(lines('over')).toEqual([14, 16]);
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

test('what is handed on is bounded, and names a symbol by what is its alone', () => {
  const [one, many, none] = findSymbols(symbols, ['Server.stop', 'start', 'strat']);
  expect(one).toEqual({ one: { from: 5, to: 5, qualified: 'Server.stop', name: 'Server.stop' } });
  expect(many).toEqual({
    candidates: [
      { from: 2, to: 4, qualified: 'Server.start', name: 'Server.start' },
      { from: 8, to: 10, qualified: 'Client.start', name: 'Client.start' },
    ],
    all: 2,
  });
  expect(none).toEqual({ near: [] });
  const [overloads, near, far] = findSymbols(symbols, ['twice', 'Server.stat', 'entirely different']);
  // Two of one name: only their lines tell them apart.
  expect(overloads).toMatchObject({ candidates: [{ qualified: 'twice' }, { qualified: 'twice' }], all: 2 });
  expect(near && 'near' in near && near.near.map(({ qualified }) => qualified)).toEqual([
    'Server.start',
    'Client.start',
  ]);
  expect(far).toEqual({ near: [] });
});
