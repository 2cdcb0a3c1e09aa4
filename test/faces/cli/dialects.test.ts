/** `oriel COMMAND --dialect NAME` is answered by the dialect's own tool, as `oriel call` would call it. */

import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/dialects/dialect-table.ts';
import { type DialectName, dialectNames } from '../../../src/index.ts';
import { run } from '../../support/warm-cli.ts';
import { workspace } from '../../support/workspace.ts';

const commands = {
  read: {
    tools: ['read', 'read_file'],
    input: (W: string) => ({ path: `${W}/f` }),
    example: ' PATH',
  },
  bash: { tools: ['bash'], input: () => ({ command: 'seq 3' }), example: " 'COMMAND'" },
  grep: { tools: ['grep'], input: () => ({ pattern: 'l' }), example: ' PATTERN' },
  find: { tools: ['find'], input: () => ({ pattern: '*' }), example: " '*.ts'" },
  ls: { tools: ['ls'], input: () => ({}), example: '' },
} as const;

const pairs = Object.keys(commands).flatMap((command) =>
  dialectNames.map((dialect) => ({ command: command as keyof typeof commands, dialect })),
);
const toolOf = (dialect: DialectName, names: readonly string[]): string | undefined =>
  dialectOf(dialect).tools.find(({ name }) => names.includes(name))?.name;

test.each(pairs)('oriel $command --dialect $dialect', ({ command, dialect }) => {
  const { W, write } = workspace();
  write('f', 'line 1\nline 2\n');
  write('g', '');
  const { tools, input, example } = commands[command];
  const operands = Object.values<string>(input(W));
  const ran = run([command, '--dialect', dialect, ...operands], { cwd: W });
  const tool = toolOf(dialect, tools);
  if (tool === undefined) {
    const others = dialectNames.filter((name) => toolOf(name, tools) !== undefined);
    expect(ran).toEqual({
      out: '',
      err: `oriel: The dialect ${dialect} has no tool for oriel ${command}; ${others.join(', ')} have one. Use oriel ${command} --dialect oriel${example}.\n`,
      code: command === 'bash' ? 125 : 2,
    });
  } else {
    expect(ran).toEqual(run(['call', tool, JSON.stringify(input(W)), '--dialect', dialect], { cwd: W }));
    expect(ran).toMatchObject({ code: 0, err: '' });
  }
});

test('a dialect that counts nothing still has an exit code', () => {
  const { W, write } = workspace();
  write('f', 'a\nb\nc\n');
  expect(run(['read', '--dialect', 'pi', 'f', '--limits', 'lines=2'], { cwd: W }).out).toBe(
    'a\nb\n[Showing lines 1-2 of 3. Use offset=3 to continue]\n',
  );
  expect(run(['grep', 'x', '--dialect', 'pi'], { cwd: W })).toEqual({
    out: 'No matches found\n',
    err: '',
    code: 1,
  });
  expect(run(['find', '*.ts', '--dialect', 'pi'], { cwd: W })).toEqual({
    out: 'No files found matching pattern\n',
    err: '',
    code: 1,
  });
  expect(run(['bash', '--dialect', 'pi', 'exit 3'], { cwd: W }).code).toBe(3);
  expect(run(['read', 'none', '--dialect', 'pi'], { cwd: W }).code).toBe(2);
});

test('an option that the dialect’s tool lacks is refused', () => {
  expect(run(['grep', 'x', '--offset', '1', '--dialect', 'pi'])).toEqual({
    out: '',
    err: 'oriel: The tool grep has no field offset. Its fields are pattern, path, glob, ignoreCase, literal, context, limit. Use {"pattern":"x"}. Command: oriel grep --dialect pi x\n',
    code: 2,
  });
});
