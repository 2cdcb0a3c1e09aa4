// Universal Ctags (Debian: universal-ctags), as a list of symbols.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export const hasCtags = () =>
  spawnSync('ctags', ['--version']).stdout?.toString().startsWith('Universal') === true;

/**
 * Symbols of a file: `{ name, line, end? }`, lines 1-based; only the given kinds. Without anonymous ones, object literals
 * that Ctags takes for classes, and imports and operators that it takes for type aliases.
 */
export function ctags(path, kinds) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const real = ({ kind, line }) => {
    if (!/\.[jt]s$/.test(path)) return true;
    if (kind === 'class') return /\b(class|function)\b/.test(lines[line - 1]);
    return kind !== 'alias' || /^\s*(export\s+|declare\s+)*type\s/.test(lines[line - 1]);
  };
  const options = ['--output-format=json', '--fields=+neK', '-o', '-', path];
  const { status, stdout } = spawnSync('ctags', options, { maxBuffer: 1 << 28 });
  if (status !== 0) return undefined;
  const wanted = new Set(kinds.split(','));
  return stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(
      (tag) =>
        tag._type === 'tag' && wanted.has(tag.kind) && !/^(__anon|Anonymous)/i.test(tag.name) && real(tag),
    );
}
