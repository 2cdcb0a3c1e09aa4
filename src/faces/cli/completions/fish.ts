/** The completion script of fish. */

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

export function fish(commands: readonly Entry[]): string {
  const valued = everyOption(commands).filter(({ value }) => value !== undefined);
  const lines = commands.flatMap((command) => [
    `complete -c oriel -n 'not __oriel_operands' -f -a ${command.name} -d ${single(command.help)}`,
    ...operands(command),
    ...optionsOf(command).map((option) => optionLine(inside(command), option)),
  ]);
  lines.push(...leadingOptions.map((option) => optionLine("'not __oriel_operands'", option)));
  return `# oriel completions fish > ~/.config/fish/completions/oriel.fish
# The words in front of the cursor that are neither options nor values of options. Fails where there are none.
function __oriel_operands
  set -l found
  set -l is_value 0
  for word in (commandline -opc)[2..]
    if test $is_value = 1
      set is_value 0
      continue
    end
    switch $word
      case ${valued.flatMap(spellings).join(' ')}
        set is_value 1
      case '-*'
      case '*'
        set -a found $word
    end
  end
  set -q found[1]; and printf '%s\\n' $found
end
function __oriel_in
  set -l operands (__oriel_operands); and test $operands[1] = $argv[1]
end
# Nothing but the command is there yet, so that options are its own.
function __oriel_only
  set -l operands (__oriel_operands); and test "$operands" = $argv[1]
end
function __oriel_has_part
  string match -q '*:*' -- (commandline -ct)
end
function __oriel_part
  # What cannot be unescaped is not a word yet.
  set -l word (string unescape -- (commandline -ct)); and oriel completions fish $word 2>/dev/null
end
${lines.join('\n')}
`;
}

/** Where the options of a command are its own: after the operand of \`oriel bash\` they are those of what is run. */
function inside(command: Entry): string {
  const kind = operandKind(command);
  return `'${kind === 'command' ? '__oriel_only' : '__oriel_in'} ${command.name}'`;
}

function operands(command: Entry): readonly string[] {
  const { name, choices } = command;
  switch (operandKind(command)) {
    case 'choices': {
      return [`complete -c oriel -n '__oriel_in ${name}' -f -a '${choices?.join(' ')}'`];
    }
    case 'parts': {
      return [`complete -c oriel -n '__oriel_in ${name}; and __oriel_has_part' -f -a '(__oriel_part)'`];
    }
    case 'command': {
      return [`complete -c oriel -n '__oriel_only ${name}' -f -a '(__fish_complete_command)'`];
    }
    case 'directories': {
      return [`complete -c oriel -n '__oriel_in ${name}' -f -a '(__fish_complete_directories)'`];
    }
    case 'none': {
      return [`complete -c oriel -n '__oriel_in ${name}' -f`];
    }
    case 'files': {
      return [];
    }
  }
}

function optionLine(condition: string, option: Option): string {
  const { name, short, value, choices, help } = option;
  const values = {
    directories: " -xa '(__fish_complete_directories)'",
    files: ' -rF',
    choices: ` -xa '${choices?.join(' ')}'`,
    other: ' -x',
  };
  return (
    `complete -c oriel -n ${condition} -l ${name}${short ? ` -s ${short}` : ''}` +
    `${value === undefined ? '' : values[valueKind(option)]} -d ${single(help)}`
  );
}
