import { expect, test } from 'vitest';
import { workspace } from '../support/workspace.ts';

test.each(['', ':outline', ':outline:1..1', ':1..1:outline', ':1..2', ':raw:1..2'])(
  'what a notice names works: %j',
  async (selector) => {
    const { write, text, read } = workspace();
    write('ctl.md', '# a \u0001 title\n\ntext \u0001\n');
    const said =
      (await text(`ctl.md${selector}`)).match(/(?:^|[\s;]) ?(ctl\.md\S*) has them as stored/g) ?? [];
    for (const sentence of said) {
      const [, call = ''] = /(ctl\.md\S*)/.exec(sentence) ?? [];
      expect((await read(call)).isError, call).toBe(false);
    }
    expect(said.length).toBe(selector.includes('raw') ? 0 : 1);
  },
);
