import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/faces/cli/commands.ts';
import { globalOptions } from '../../../src/faces/cli/options.ts';
import { built } from '../../support/built.ts';
import { run } from '../../support/cli.ts';
import { workspace } from '../../support/workspace.ts';

/** What bash offers for the last word. */
function complete(cwd: string, ...words: readonly string[]): string[] {
  const script = `${run(['completions', 'bash']).out}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _oriel; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, options, choices and folders', () => {
  const { W, write } = workspace();
  write('folder/f', '');
  write('file', '');
  expect(complete(W, 'oriel', 're')).toEqual(['read', 'report']);
  expect(complete(W, 'oriel', 'ins')).toEqual(['inspect']);
  expect(complete(W, 'oriel', 'serve', '--li')).toEqual(['--listen', '--limits']);
  expect(complete(W, 'oriel', 'read', '--li')).toEqual(['--limits']);
  expect(complete(W, 'oriel', 'read', '--display', '')).toEqual(['numbers', 'hashline', 'plain']);
  expect(complete(W, 'oriel', 'mcp', '--root', 'f')).toEqual(['folder']);
  expect(complete(W, 'oriel', 'read', 'f')).toEqual([]);
  expect(complete(W, 'oriel', 'completions', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(complete(W, 'oriel', 'help', 'gr')).toEqual(['grep']);
  expect(complete(W, 'oriel', '--json', 're')).toEqual(['read', 'report']);
  expect(complete(W, 'oriel', '--dialect', 'pi', 'gr')).toEqual(['grep']);
  expect(complete(W, 'oriel', '--json', 'read', '--li')).toEqual(['--limits']);
});

describe.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  test('knows every command and every option', async () => {
    const { out, code } = run(['completions', shell]);
    expect(code).toBe(0);
    const dashes = shell === 'fish' ? '-l ' : '--';
    for (const { name, options } of await allCommands()) {
      expect(out).toContain(name);
      for (const option of [...options, ...globalOptions]) expect(out).toContain(dashes + option.name);
    }
  });
});

test.each([
  [[], 'No shell was named. Use oriel completions bash, or zsh, or fish.'],
  [['tcsh'], 'There are no completions for tcsh. Use oriel completions bash, or zsh, or fish.'],
])('completions %j is one line on stderr', (args, message) => {
  expect(run(['completions', ...args])).toEqual({ out: '', err: `oriel: ${message}\n`, code: 2 });
});

test('the manual page has every command and option, and comes with the package', async () => {
  const { out } = run(['man']);
  expect(out).toMatch(/^\.TH ORIEL 1 "" "oriel \d+\.\d+\.\d+" "User Commands"\n/);
  for (const { name, options } of await allCommands()) {
    expect(out).toContain(`.SS oriel ${name}`);
    for (const option of [...options, ...globalOptions]) {
      expect(out).toContain(`\\-\\-${option.name.replaceAll('-', '\\-')}`);
    }
  }
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: [string] };
  expect(readFileSync(built(man[0].replace('./dist/', '')), 'utf8')).toBe(out);
});

test('help of help is the general help, and names the version option', () => {
  const { out, code } = run(['help']);
  expect(code).toBe(0);
  expect(out).toContain('--version');
  expect(run(['help', 'help'])).toEqual({ out, err: '', code });
});
