/** `oriel completions`: the completion script of a shell, generated from the tables of commands and options. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { globalOptions, type Option } from './options.ts';

const SHELLS = { bash, zsh, fish } satisfies Record<string, (commands: readonly Command[]) => string>;

const names = Object.keys(SHELLS);

/** `allCommands` is passed in, because the list of commands imports this file. */
export const completionsCommand = (allCommands: () => Promise<readonly Command[]>): Command => ({
  name: 'completions',
  operands: 'SHELL',
  help: `print what ${names.join(', ')} needs to complete this command line`,
  options: [],
  async run({ operands }, { out }) {
    const [shell] = operands;
    if (shell === undefined || !Object.hasOwn(SHELLS, shell)) {
      const what =
        shell === undefined ? 'No shell was named' : `There are no completions for ${quote(shell)}`;
      throw new OrielError('BAD_INPUT', `${what}. Use oriel completions ${names.join(', or ')}.`);
    }
    out.write(SHELLS[shell as keyof typeof SHELLS](await allCommands()));
    return 0;
  },
});

function optionsOf({ options }: Command): readonly Option[] {
  return [...options, ...globalOptions];
}

const isDirectory = ({ value = '' }: Option): boolean => value === 'DIR';

function bash(commands: readonly Command[]): string {
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
  const flags = commands.map(
    (command) =>
      `    ${command.name}) words='${optionsOf(command)
        .map(({ name }) => `--${name}`)
        .join(' ')}' ;;`,
  );
  return `# oriel completions bash > /usr/share/bash-completion/completions/oriel
_oriel() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  case $before in
    ${directories}) COMPREPLY=($(compgen -d -- "$word")); return ;;
${choices.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${flags.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o default -F _oriel oriel
`;
}

function zsh(commands: readonly Command[]): string {
  const described = commands.map(({ name, help }) => `    ${single(`${name}:${help}`)}`);
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments ${optionsOf(command).map(zshOption).join(' ')} '*:file:_files' ;;`,
  );
  return `#compdef oriel
# oriel completions zsh > "\${fpath[1]}/_oriel"
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

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c oriel -n __fish_use_subcommand -a ${command.name} -d ${single(command.help)}`,
    ...optionsOf(command).map((option) => fishOption(command.name, option)),
  ]);
  return `# oriel completions fish > ~/.config/fish/completions/oriel.fish\n${lines.join('\n')}\n`;
}

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
