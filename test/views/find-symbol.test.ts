import { expect, test } from 'vitest';
import { findSymbol } from '../../src/views/find-symbol.ts';
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
