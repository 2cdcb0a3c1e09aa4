import { describe, expect, test } from 'vitest';
import { place } from '../support/dialect.ts';

function here(): ReturnType<typeof place> {
  const made = place('oriel');
  made.write('a.ts', 'needle a\n');
  made.write('b.ts', 'needle b\nneedle c\n');
  made.write('src/c.ts', 'needle d\n');
  made.write('src/deep/e.ts', 'needle e\n');
  made.write('other.ts', 'needle x\n');
  return made;
}

describe('several paths in one search', () => {
  test.each([['a.ts,b.ts'], ['a.ts, b.ts'], ['a.ts b.ts'], ['{a,b}.ts'], [['a.ts', 'b.ts']]])(
    '%j',
    { tags: 'slow' },
    async (path) => {
      const { text, isError } = await here().call('grep', { pattern: 'needle', path });
      expect(isError).toBe(false);
      expect(text).toBe('a.ts:1: needle a\nb.ts:1: needle b\nb.ts:2: needle c');
    },
  );

  test('are searched in order with one limit; notices reach all', { tags: 'slow' }, async () => {
    const { call } = here();
    const path = 'src,b.ts,a.ts';
    const shown: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { text, details } = await call('grep', { pattern: 'needle', path, offset, limit: 2 });
      shown.push(...text.split('\n').filter((line) => !line.startsWith('[')));
      const { next } = (details['truncation'] ?? {}) as { next?: { offset: number } };
      offset = next?.offset;
    }
    expect(shown).toEqual([
      'src/c.ts:1: needle d',
      'src/deep/e.ts:1: needle e',
      'b.ts:1: needle b',
      'b.ts:2: needle c',
      'a.ts:1: needle a',
    ]);
  });

  test.each([',', ';', ' ', '\n', '{,}'])(
    'more than 20, separated by %j, are an error',
    async (separator) => {
      const { call, write } = here();
      const names = Array.from({ length: 25 }, (_, i) => `f${i}.ts`);
      for (const name of names) write(name, 'needle\n');
      for (const count of [21, 25]) {
        const some = names.slice(0, count);
        const path = separator === '{,}' ? `{${some.join(',')}}` : some.join(separator);
        const { text, details } = await call('grep', { pattern: 'needle', path });
        expect(text).toBe(
          'At most 20 paths are searched in one call. Search a directory that contains them, or the others in another call.',
        );
        expect(details['error']).toEqual({ code: 'LIMIT', message: text });
      }
    },
  );

  test('a path below another one is searched once', async () => {
    const { call } = here();
    const { text } = await call('grep', {
      pattern: 'needle',
      path: 'src/deep,src,src/c.ts,src',
      output: 'files',
    });
    expect(text).toBe('src/c.ts\nsrc/deep/e.ts');
  });

  test('a file of that exact name comes first, missing fails', async () => {
    const { call, write } = here();
    write('a.ts,b.ts', 'needle in one\n');
    expect((await call('grep', { pattern: 'needle', path: 'a.ts,b.ts' })).text).toBe(
      'a.ts,b.ts:1: needle in one',
    );
    const { text, isError } = await call('grep', { pattern: 'needle', path: 'a.ts,nope.ts' });
    expect(isError).toBe(true);
    expect(text).toContain('a.ts,nope.ts does not exist.');
  });
});
