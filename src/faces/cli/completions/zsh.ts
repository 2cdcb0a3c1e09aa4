/** The completion script of zsh. */

import type { Option } from '../command.ts';
import type { Entry } from './entry.ts';
import {
  everyOption,
  leadingOptions,
  operandKind,
  optionsOf,
  single,
  spellings,
  valueKind,
} from './entry.ts';

export function zsh(commands: readonly Entry[]): string {
  const leading = new Set(leadingOptions.map(({ name }) => name));
  const others = everyOption(commands).filter(({ name }) => !leading.has(name));
  const described = commands.map(({ name, help }) => `    ${single(`${name}:${help}`)}`);
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments -s ${optionsOf(command).map(spec).join(' ')}${operand(command)} ;;`,
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
_oriel_command() {
  local -a commands=(
${described.join('\n')}
  )
  _describe command commands
}
_oriel() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -s -C -A '-*' ${leadingOptions.map(spec).join(' ')} ${others.map(hidden).join(' ')} '1:command:_oriel_command' '*:: :->call' && return
  [[ $state == call ]] || return
  case $words[1] in
${cases.join('\n')}
  esac
}
_oriel "$@"
`;
}

function operand(command: Entry): string {
  switch (operandKind(command)) {
    case 'choices': {
      return ` '*:operand:(${command.choices?.join(' ')})'`;
    }
    case 'parts': {
      return " '*:operand:_oriel_part'";
    }
    case 'command': {
      return " '(-)1:command: _command_names -e' '*::argument: _normal'";
    }
    case 'directories': {
      return " '*:operand:_files -/'";
    }
    case 'files': {
      return " '*:operand:_files'";
    }
    case 'none': {
      return '';
    }
  }
}

/** The specification of each form of an option: `--display=[…]:HOW:(numbers plain)`. */
function spec(option: Option): string {
  const { value, choices, multiple, help } = option;
  const all = spellings(option);
  const about = `[${help.replaceAll(/[[\]:\\]/g, '\\$&')}]`;
  const actions = {
    directories: '_files -/',
    files: '_files',
    choices: `(${choices?.join(' ')})`,
    other: ' ',
  };
  const argument =
    value === undefined ? '' : `:${value.replaceAll(':', '\\:')}:${actions[valueKind(option)]}`;
  const before = multiple ? '*' : all.length > 1 ? `(${all.join(' ')})` : '';
  return all.map((one) => single(`${before}${one}${joins(one, value)}${about}${argument}`)).join(' ');
}

/** The specification of an option that is accepted before a command but not offered there. */
function hidden(option: Option): string {
  const argument = option.value === undefined ? '' : ':value: ';
  return spellings(option)
    .map((one) => single(`!*${one}${joins(one, option.value)}${argument}`))
    .join(' ');
}

/** The mark that the value may be in the same word: `--display=plain`, `-gPATTERN`. */
function joins(spelling: string, value: string | undefined): string {
  if (value === undefined) return '';
  return spelling.startsWith('--') ? '=' : '+';
}
