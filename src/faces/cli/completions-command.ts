/** `oriel completions`: the completion script of a shell, generated from the tables of commands and options. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command, Option } from './command.ts';
import { globalOptions } from './option-table.ts';

/** What of a command is completed. */
type Completed = 'name' | 'help' | 'choices' | 'options';
type Entry = Pick<Command, Completed>;

const SHELLS = { bash, zsh, fish } satisfies Record<string, (commands: readonly Entry[]) => string>;

const names = Object.keys(SHELLS);

/** `allCommands` is passed in, because the list of commands imports this file. */
export const completionsCommand = (allCommands: () => Promise<readonly Command[]>): Command => ({
  name: 'completions',
  operands: 'SHELL [WORD]',
  help: `print what ${names.join(', ')} needs to complete this command line, or the words that begin with WORD: symbols, members, tables`,
  choices: names,
  options: [],
  async run({ operands }, streams) {
    const { out } = streams;
    const [shell, word] = operands;
    if (shell === undefined || !Object.hasOwn(SHELLS, shell)) {
      const what =
        shell === undefined ? 'No shell was named' : `There are no completions for ${quote(shell)}`;
      throw new OrielError('BAD_INPUT', `${what}. Use oriel completions ${names.join(', or ')}.`);
    }
    if (word !== undefined) {
      const { completeWord } = await import('./complete-word.ts');
      const words = await completeWord(word, streams);
      out.write(words.map((one) => `${one}\n`).join(''));
      return words.length > 0 ? 0 : 1;
    }
    const commands = await allCommands();
    const help: Entry = {
      name: 'help',
      help: 'list the commands, or the options of one',
      choices: commands.map(({ name }) => name),
      options: [],
    };
    out.write(SHELLS[shell as keyof typeof SHELLS]([...commands, help]));
    return 0;
  },
});

function optionsOf({ options }: Entry): readonly Option[] {
  return [...options, ...globalOptions];
}

const isDirectory = ({ value = '' }: Option): boolean => value === 'DIR';

function bash(commands: readonly Entry[]): string {
  const all = [...new Map(commands.flatMap(optionsOf).map((option) => [option.name, option])).values()];
  const spelled = ({ name, short }: Option): string => `--${name}${short ? `|-${short}` : ''}`;
  const directories = all.filter(isDirectory).map(spelled).join('|');
  const choices = all.flatMap((option) =>
    option.choices
      ? [
          `    ${spelled(option)}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$word")); return ;;`,
        ]
      : [],
  );
  const valued = all
    .filter(({ value }) => value !== undefined)
    .map(spelled)
    .join('|');
  const operands = commands.flatMap(({ name, choices: these }) =>
    these ? [`    ${name}) COMPREPLY=($(compgen -W '${these.join(' ')}' -- "$word")); return ;;`] : [],
  );
  const flags = commands.map(
    (command) =>
      `    ${command.name}) words='${optionsOf(command)
        .map(({ name }) => `--${name}`)
        .join(' ')}' ;;`,
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
_oriel() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words= command= at=1
  COMPREPLY=()
  case $before in
    ${directories}) COMPREPLY=($(compgen -d -- "$word")); return ;;
${choices.join('\n')}
  esac
  # Options may stand before the command.
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case \${COMP_WORDS[at]} in
      ${valued}) at=$((at + 1)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[at]}; break ;;
    esac
    at=$((at + 1))
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  case $command in
${flags.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")); return ;;
  esac
  case $command in
    read) _oriel_part ;;
${operands.join('\n')}
  esac
}
complete -o default -F _oriel oriel
`;
}

function zsh(commands: readonly Entry[]): string {
  const described = commands.map(({ name, help }) => `    ${single(`${name}:${help}`)}`);
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments ${optionsOf(command).map(zshOption).join(' ')} '*:operand:${command.choices ? `(${command.choices.join(' ')})` : command.name === 'read' ? '_oriel_part' : '_files'}' ;;`,
  );
  return `#compdef oriel
# oriel completions zsh > "\${fpath[1]}/_oriel"
_oriel_part() {
  local word=\${(Q)PREFIX}
  if [[ $word != *:* ]]; then
    _files
    return
  fi
  local -a found=("\${(@f)$(oriel completions zsh "$word" 2>/dev/null)}")
  compadd -S '' -- \${found:#}
}
_oriel() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
_oriel "$@"
`;
}

function zshOption(option: Option): string {
  const { name, short, value, choices, multiple, help } = option;
  const about = `[${help.replaceAll(/[[\]:\\]/g, '\\$&')}]`;
  const action = isDirectory(option) ? '_files -/' : choices ? `(${choices.join(' ')})` : ' ';
  const argument = value === undefined ? '' : `:${value}:${action}`;
  const star = multiple ? '*' : '';
  const spellings = short ? [`-${short}`, `--${name}`] : [`--${name}`];
  return spellings.map((spelling) => single(`${star}${spelling}${about}${argument}`)).join(' ');
}

function fish(commands: readonly Entry[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c oriel -n __fish_use_subcommand -a ${command.name} -d ${single(command.help)}`,
    ...(command.choices
      ? [
          `complete -c oriel -n '__fish_seen_subcommand_from ${command.name}' -xa '${command.choices.join(' ')}'`,
        ]
      : []),
    ...optionsOf(command).map((option) => fishOption(command.name, option)),
  ]);
  lines.push("complete -c oriel -n '__fish_seen_subcommand_from read' -a '(__oriel_part)'");
  return `# oriel completions fish > ~/.config/fish/completions/oriel.fish\n${FISH_PART}${lines.join('\n')}\n`;
}

const FISH_PART = `function __oriel_part
  set -l word (commandline -ct)
  string match -q '*:*' -- $word; and oriel completions fish $word 2>/dev/null
end
`;

function fishOption(command: string, option: Option): string {
  const { name, short, value, choices, help } = option;
  const values = isDirectory(option)
    ? " -xa '(__fish_complete_directories)'"
    : choices
      ? ` -xa '${choices.join(' ')}'`
      : ' -r';
  return (
    `complete -c oriel -n '__fish_seen_subcommand_from ${command}' -l ${name}` +
    `${short ? ` -s ${short}` : ''}${value === undefined ? '' : values} -d ${single(help)}`
  );
}

/** One word of a shell, whatever is in it. */
function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
