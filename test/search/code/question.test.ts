/** A question in words, answered with source: `find { symbol, source: true }`. */

import { beforeEach, expect, test } from 'vitest';
import { codeOf, textOf, type Workspace, workspace } from '../../support/workspace.ts';

let w: Workspace;

const ask = async (input: object): Promise<string> =>
  textOf(await w.oriel.tool('find').run({ source: true, ...input }));

beforeEach(() => {
  w = workspace();
  w.write(
    'src/cart.py',
    [
      'from .money import rounded',
      '',
      '',
      'class Cart:',
      '    def price(self, cents, discount):',
      '        """Takes the discount off."""',
      '        return rounded(cents - discount)',
      '',
      '    def close(self):',
      '        self.items = []',
      '',
    ].join('\n'),
  );
  w.write('src/money.py', 'def rounded(amount):\n    return int(amount)\n');
  w.write('src/main.py', 'from .cart import Cart\n\n\ndef buy():\n    return Cart().price(500, 20)\n');
});

test('the code that answers it, with callers and callees', async () => {
  expect(await ask({ symbol: 'How is a discount taken off?', path: 'src' })).toBe(
    [
      'src/cart.py:#Cart.price  5-7',
      '5|    def price(self, cents, discount):',
      '6|        """Takes the discount off."""',
      '7|        return rounded(cents - discount)',
      'called by src/main.py:#buy',
      'calls src/money.py:#rounded',
    ].join('\n'),
  );
});

test('names that differ in one character are told apart', async () => {
  w.write('src/steps.py', 'def step_2_3(x):\n    return x\n\n\ndef step_3_2(x):\n    return x\n');
  w.write(
    'src/names.ts',
    'export function handleA() {}\nexport function handleB() {}\nexport function a_b() {}\n',
  );
  const best = async (symbol: string, source: boolean): Promise<string | undefined> =>
    /:#(\S+)/.exec(await ask({ symbol, source, path: 'src' }))?.[1];
  for (const name of ['step_3_2', 'handleB', 'a_b'])
    for (const symbol of [name, `What does ${name} do?`])
      expect([await best(symbol, true), await best(symbol, false)]).toEqual([name, name]);
});

test('the same answer among many files', async () => {
  const question = { symbol: 'How is a discount taken off?', path: 'src' };
  const few = await ask(question);
  for (let i = 0; i < 200; i += 1)
    w.write(`src/pad/p${i}.py`, `def pad_${i}(left):\n    return left + fill_${i}(left)\n`);
  expect(await ask(question)).toBe(few);
  // Of so many files sketches come first, and files that may answer are parsed.
  expect(
    textOf(
      await w
        .with({})
        .tool('find')
        .run({ source: true, ...question }),
    ),
  ).toBe(few);
});

test('a long symbol by the lines that matter', async () => {
  const lines = Array.from({ length: 900 }, (_, i) => `    step_${i} = ${i}`);
  lines[500] = '    voucher = redeem(self)';
  w.write('src/long.py', `def run(self):\n${lines.join('\n')}\n    return redeem\n`);
  const text = await ask({ symbol: 'where is the voucher redeemed' });
  expect(text).toMatch(/^src\/long\.py:#run {2}1-902\n1\|def run\(self\):\n/);
  expect(text).toContain(
    '\n...\n500|    step_498 = 498\n501|    step_499 = 499\n502|    voucher = redeem(self)\n',
  );
  expect(Buffer.byteLength(text)).toBeLessThan(16 << 10);
});

test('words that only a comment has, among many files', async () => {
  for (let i = 0; i < 200; i += 1)
    w.write(`src/pad/p${i}.py`, `def pad_${i}(left):\n    return left + fill_${i}(left)\n`);
  w.write('src/odd.py', 'def zz(a):\n    """Reconciles ledgers."""\n    return a\n');
  expect(await ask({ symbol: 'Which code reconciles ledgers?', path: 'src' })).toContain('src/odd.py:#zz');
});

test('no more than limit symbols, and the call for the others', async () => {
  for (let i = 0; i < 30; i += 1) {
    const body = Array.from({ length: 40 }, (_, no) => `    stamp(${no}, 'of the letter that is posted')\n`);
    w.write(`src/post${i}.py`, `def stamp_letter_${i}(letter):\n${body.join('')}`);
  }
  const one = await ask({ symbol: 'stamp a letter', limit: 1 });
  expect(one.match(/^src\/post/gm)).toHaveLength(1);
  expect(one).toContain('[Use offset=1 for the symbols that match less]');
  const first = await ask({ symbol: 'stamp a letter' });
  expect(Buffer.byteLength(first)).toBeLessThanOrEqual(16 << 10);
  const names: string[] = first.match(/^src\/\S+/gm) ?? [];
  expect(names.length).toBeGreaterThan(3);
  expect(first).toContain(`[Use offset=${names.length} for the symbols that match less]`);
  const second = await ask({ symbol: 'stamp a letter', offset: names.length });
  expect((second.match(/^src\/\S+/gm) ?? []).filter((name) => names.includes(name))).toEqual([]);
});

test('every call that it names works', async () => {
  const text = await ask({ symbol: 'discount price' });
  const calls = text.match(/src\/[\w/]+\.py:(?:#[\w.]+|\d+\.\.\d+)/g) ?? [];
  expect(calls.length).toBeGreaterThan(2);
  for (const path of calls) expect(codeOf(await w.read(path)), path).toBe('OK');
});

test('nothing found, and a source of no symbol', async () => {
  expect(await ask({ symbol: 'zebra' })).toBe('No symbols found');
  expect(codeOf(await w.oriel.tool('find').run({ pattern: '*.py', source: true }))).toBe('BAD_INPUT');
});

test.each(['how are keys queried', 'the query of a key', 'querying delayed arrays'])(
  'words that end in y are found in each of their forms: %s',
  async (symbol) => {
    w.write('src/store.py', 'def query_key(delay, array):\n    return array[delay]\n');
    expect(await ask({ symbol })).toMatch(/^src\/store\.py:#query_key /);
  },
);
