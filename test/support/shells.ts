/** Completions that installed shells offer for a command line, with the scripts of the built CLI. */

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cli } from './cli.ts';
import { run } from './warm-cli.ts';
import { workspace } from './workspace.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A function that returns the sorted completions of each line in a shell whose working directory is `cwd`. */
export function shellIn(cwd: string): (shell: Shell, lines: readonly string[]) => string[][] {
  const { W, write } = workspace();
  chmodSync(write('bin/oriel', `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`), 0o755);
  write('oriel.bash', run(['completions', 'bash']).out);
  write('zsh/_oriel', run(['completions', 'zsh']).out);
  write('oriel.fish', run(['completions', 'fish']).out);
  write('zsh-setup', ZSH_SETUP);
  write('zsh-ask', ZSH_ASK);
  const env = { ...process.env, PATH: `${W}/bin:${process.env['PATH']}`, HOME: W, LINES: '24' };
  const out = join(W, 'offered');
  const ask = (command: string, ...args: readonly string[]): string => {
    writeFileSync(out, '');
    const { status, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 240_000 });
    expect([status, stderr]).toEqual([0, '']);
    return readFileSync(out, 'utf8');
  };
  const fish = `source '${W}/oriel.fish'; for line in $argv; complete -C $line; echo END; end >${out}`;
  // One shell for all lines.
  const asked = {
    bash: ['--norc', '-c', BASH_ASK, W],
    zsh: ['-f', join(W, 'zsh-ask'), W],
    fish: ['--no-config', '-c', fish],
  };
  return (shell, lines) =>
    ask(shell, ...asked[shell], ...lines)
      .split('END\n')
      .slice(0, lines.length)
      .map((text) => [...new Set(text.split('\n').filter(Boolean).map(tidy))].sort());
}

/** A completion without its description, quotes, and decorations of the shell. */
function tidy(word: string): string {
  return word
    .replace(/\t.*/s, '')
    .replaceAll('\\', '')
    .replace(/^--\w[\w-]*=(?=.)/, '')
    .replace(/\/$/, '');
}

/** Splits the line into words as readline does, except that it ignores escaped blanks. */
const BASH_ASK = `source "$0/oriel.bash"
for line in "$@"; do
  COMP_LINE=$line; COMP_POINT=\${#line}
  spaced=\${line//:/ : }; spaced=\${spaced//=/ = }
  read -ra COMP_WORDS <<<"$spaced"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _oriel
  printf '%s\\n' "\${COMPREPLY[@]}" END
done >"$0/offered"`;

/** Starts an interactive zsh in a pseudo-terminal, and types each line and a TAB. */
const ZSH_ASK = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1/zsh \\$fpath); autoload -Uz compinit; compinit -u -D; OUT=$1/offered; source $1/zsh-setup"
zpty -r shell text '*LOADED*'
for line in "\${@[2,-1]}"; do
  zpty -w -n shell "$line"$'\\t'
  zpty -r shell text '*DONE*'
done
zpty -d shell
`;

/** Wraps compadd to record every match. Calls with -A, -D or -O add no matches. */
const ZSH_SETUP = `unsetopt beep
offered=()
compadd() {
  if (( ! \${argv[(I)-[a-zA-Z]#[ADO]*]} )); then
    local -a matches
    builtin compadd -O matches "$@"
    offered+=("\${matches[@]}")
  fi
  builtin compadd "$@"
}
ask() {
  zle complete-word
  print -rl -- "\${(@)offered}" END >>$OUT
  offered=()
  BUFFER=''
  zle -I
  print DO''NE
}
zle -N ask
bindkey '\\t' ask
print LOA''DED
`;
