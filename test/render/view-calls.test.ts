import { expect, test } from 'vitest';
import { unhurried, workspace } from '../support/workspace.ts';

test.each(['', ':outline', ':outline:1..1', ':1..1:outline', ':1..2'])(
  'what a notice names works: %j',
  async (selector) => {
    const { write, text, read } = workspace(unhurried);
    write('ctl.md', `# a \u0001 title\n\n${'Some words of a text.\n'.repeat(50)}`);
    const said = /(ctl\.md\S*) has it as stored/.exec(await text(`ctl.md${selector}`));
    expect(said).not.toBeNull();
    expect((await read(said?.[1] ?? '')).isError, said?.[1]).toBe(false);
  },
);
