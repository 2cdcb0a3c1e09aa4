/** The completion script of bash. */

import type { Option } from '../command.ts';
import type { Entry } from './entry.ts';
import { everyOption, leadingOptions, operandKind, optionsOf, spellings, valueKind } from './entry.ts';

export function bash(commands: readonly Entry[]): string {
  const valued = everyOption(commands).filter(({ value }) => value !== undefined);
  const ofKind = (kind: ReturnType<typeof valueKind>): string =>
    patterns(valued.filter((option) => valueKind(option) === kind));
  const choices = valued.flatMap((option) =>
    option.choices ? [`    ${patterns([option])}) ${offer(option.choices)}; return ;;`] : [],
  );
  return `# oriel completions bash > ~/.local/share/bash-completion/completions/oriel
# What stands behind a colon. bash takes a word to begin behind the last one.
_oriel_part() {
  local line=\${COMP_LINE:0:COMP_POINT} front= one
  local whole=\${line##*[[:space:]]}
  # What is quoted is not taken apart.
  case $line in
    *[\\\\\\'\\"]*) return ;;
  esac
  [[ $whole == *:* ]] || return 0
  [[ $COMP_WORDBREAKS == *:* ]] && front=\${whole%"\${whole##*:}"}
  while IFS= read -r one; do
    one=$(printf %q "\${one#"$front"}")
    COMPREPLY+=("\${one/#'\\#'/#}")
  done < <(oriel completions bash "$whole" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -gt 0 ]] && compopt -o nospace 2>/dev/null
  return 0
}
_oriel_directories() {
  local one=
  compopt -o filenames 2>/dev/null
  while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -d -- "$1")
}
_oriel() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words= command= at=1 end=0
  COMPREPLY=()
  # bash takes --display=plain for three words.
  [[ $before == = ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  [[ $word == = ]] && word=
  # Options may stand before the command.
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case \${COMP_WORDS[at]} in
      ${patterns(valued)})
        at=$((at + 1))
        [[ \${COMP_WORDS[at]} == = ]] && at=$((at + 1)) ;;
      -*) ;;
      *)
        [ -n "$command" ] && end=1 && break
        command=\${COMP_WORDS[at]} ;;
    esac
    at=$((at + 1))
  done
  case $command in
    '') words='${longNames(leadingOptions)}' ;;
${commands.map((command) => `    ${command.name}) words='${longNames(optionsOf(command))}' ;;`).join('\n')}
  esac
  # Behind its first operand, options are those of the command that oriel runs.
${endOfOptions(commands)}
  case $before in
    ${ofKind('directories')}) ${DIRECTORIES}; return ;;
    ${ofKind('files')}) return ;;
${choices.join('\n')}
    ${ofKind('other')}) compopt +o default 2>/dev/null; return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
  esac
  case $command in
    '') ${offer(commands.map(({ name }) => name))} ;;
${commands.flatMap((command) => operands(command)).join('\n')}
  esac
}
complete -o default -F _oriel oriel
`;
}

function endOfOptions(commands: readonly Entry[]): string {
  const names = commands.filter((command) => operandKind(command) === 'command').map(({ name }) => name);
  return `  case $command$end in
    ${names.map((name) => `${name}1`).join('|')}) return ;;
  esac`;
}

function operands(command: Entry): string[] {
  const { name, choices } = command;
  switch (operandKind(command)) {
    case 'choices': {
      return [`    ${name}) ${offer(choices ?? [])} ;;`];
    }
    case 'parts': {
      return [`    ${name}) _oriel_part ;;`];
    }
    case 'command': {
      return [`    ${name}) COMPREPLY=($(compgen -c -- "$word")) ;;`];
    }
    case 'directories': {
      return [`    ${name}) ${DIRECTORIES} ;;`];
    }
    case 'none': {
      return [`    ${name}) compopt +o default 2>/dev/null ;;`];
    }
    case 'files': {
      return [];
    }
  }
}

/** Completes directories, including names with spaces and brackets, which bash escapes. */
const DIRECTORIES = '_oriel_directories "$word"';

const patterns = (options: readonly Option[]): string => options.flatMap(spellings).join('|');

const longNames = (options: readonly Option[]): string => options.map(({ name }) => `--${name}`).join(' ');

const offer = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word"))`;
