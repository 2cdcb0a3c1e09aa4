/** What real shells offer behind a line, with the completions of the built command line. */

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cli, run } from './cli.ts';
import { workspace } from './workspace.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A function that asks one shell in the directory `cwd`; each word that it offers, sorted. */
export function shellIn(cwd: string): (shell: Shell, line: string) => string[] {
  const { W, write } = workspace();
  chmodSync(write('bin/oriel', `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`), 0o755);
  write('oriel.bash', run(['completions', 'bash']).out);
  write('zsh/_oriel', run(['completions', 'zsh']).out);
  write('oriel.fish', run(['completions', 'fish']).out);
  write('zsh-setup', ZSH_SETUP);
  write('zsh-ask', ZSH_ASK);
  const env = { ...process.env, PATH: `${W}/bin:${process.env['PATH']}`, HOME: W, LINES: '24' };
  return (shell, line) => {
    const out = join(W, 'offered');
    writeFileSync(out, '');
    const commands = {
      bash: ['bash', '--norc', '-c', BASH_ASK, W, line],
      zsh: ['zsh', '-f', join(W, 'zsh-ask'), W, line],
      fish: ['fish', '--no-config', '-c', `source '${W}/oriel.fish'; complete -C $argv[1] >${out}`, line],
    };
    const [command = '', ...args] = commands[shell];
    const { status, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
    expect([status, stderr]).toEqual([0, '']);
    const words = readFileSync(out, 'utf8').split('\n').filter(Boolean);
    return [...new Set(words.map((word) => tidy(word)))].sort();
  };
}

/** Without descriptions, quotes, or what only one of the shells puts before and behind a word. */
function tidy(word: string): string {
  return word
    .replace(/\t.*/s, '')
    .replaceAll('\\', '')
    .replace(/^--\w[\w-]*=(?=.)/, '')
    .replace(/\/$/, '');
}

/** The words as readline takes them apart, blanks escaped by a backslash excepted. */
const BASH_ASK = `source "$0/oriel.bash"
COMP_LINE=$1; COMP_POINT=\${#1}
spaced=\${1//:/ : }; spaced=\${spaced//=/ = }
read -ra COMP_WORDS <<<"$spaced"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_oriel
printf '%s\\n' "\${COMPREPLY[@]}" >"$0/offered"`;

/** An interactive zsh on a terminal of its own, of which one TAB is asked. */
const ZSH_ASK = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1/zsh \\$fpath); autoload -Uz compinit; compinit -u -D; OUT=$1/offered; source $1/zsh-setup"
zpty -r shell text '*LOADED*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell text '*DONE*'
zpty -d shell
`;

/** Every match is noted on its way to zsh. Calls with -A, -D or -O only sort matches out. */
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
ask() { zle complete-word; print -rl -- "\${(@)offered}" >$OUT; zle -I; print DO''NE }
zle -N ask
bindkey '\\t' ask
print LOA''DED
`;
