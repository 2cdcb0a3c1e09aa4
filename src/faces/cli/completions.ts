/** `oriel completions`: the completion script of a shell, generated from the tables of commands and options. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { type CliCommand, type CliOption, globalOptions, sharedOptions, versionOption } from './options.ts';

const SHELLS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } satisfies Record<
  string,
  (commands: readonly CompletionEntry[]) => string
>;

const names = Object.keys(SHELLS);

/** `allCommands` is passed in, because the list of commands imports this file. */
export const completionsCommand = (allCommands: () => Promise<readonly CliCommand[]>): CliCommand => ({
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
    const help: CompletionEntry = {
      name: 'help',
      operands: '[COMMAND]',
      help: 'list the commands, or the options of one',
      choices: commands.map(({ name }) => name),
      options: [],
    };
    out.write(SHELLS[shell as keyof typeof SHELLS]([...commands, help]));
    return 0;
  },
});

// The completion script of bash.

function bashCompletions(commands: readonly CompletionEntry[]): string {
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
${commands.map((command) => `    ${command.name}) words='${longNames(commandOptions(command))}' ;;`).join('\n')}
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
${commands.flatMap((command) => bashOperands(command)).join('\n')}
  esac
}
complete -o default -F _oriel oriel
`;
}

function endOfOptions(commands: readonly CompletionEntry[]): string {
  const names = commands.filter((command) => operandKind(command) === 'command').map(({ name }) => name);
  return `  case $command$end in
    ${names.map((name) => `${name}1`).join('|')}) return ;;
  esac`;
}

function bashOperands(command: CompletionEntry): string[] {
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

const patterns = (options: readonly CliOption[]): string => options.flatMap(optionSpellings).join('|');

const longNames = (options: readonly CliOption[]): string => options.map(({ name }) => `--${name}`).join(' ');

const offer = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word"))`;

// The completion script of zsh.

function zshCompletions(commands: readonly CompletionEntry[]): string {
  const leading = new Set(leadingOptions.map(({ name }) => name));
  const others = everyOption(commands).filter(({ name }) => !leading.has(name));
  const described = commands.map(({ name, help }) => `    ${single(`${name}:${help}`)}`);
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments -s ${commandOptions(command).map(spec).join(' ')}${operand(command)} ;;`,
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

function operand(command: CompletionEntry): string {
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
function spec(option: CliOption): string {
  const { value, choices, multiple, help } = option;
  const all = optionSpellings(option);
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
function hidden(option: CliOption): string {
  const argument = option.value === undefined ? '' : ':value: ';
  return optionSpellings(option)
    .map((one) => single(`!*${one}${joins(one, option.value)}${argument}`))
    .join(' ');
}

/** The mark that the value may be in the same word: `--display=plain`, `-gPATTERN`. */
function joins(spelling: string, value: string | undefined): string {
  if (value === undefined) return '';
  return spelling.startsWith('--') ? '=' : '+';
}

// The completion script of fish.

function fishCompletions(commands: readonly CompletionEntry[]): string {
  const valued = everyOption(commands).filter(({ value }) => value !== undefined);
  const lines = commands.flatMap((command) => [
    `complete -c oriel -n 'not __oriel_operands' -f -a ${command.name} -d ${single(command.help)}`,
    ...fishOperands(command),
    ...commandOptions(command).map((option) => optionLine(inside(command), option)),
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
      case ${valued.flatMap(optionSpellings).join(' ')}
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
function inside(command: CompletionEntry): string {
  const kind = operandKind(command);
  return `'${kind === 'command' ? '__oriel_only' : '__oriel_in'} ${command.name}'`;
}

function fishOperands(command: CompletionEntry): readonly string[] {
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

function optionLine(condition: string, option: CliOption): string {
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

// The input of the completion scripts: commands and options, and the kind of completion for operands and values.

interface CompletionEntry extends Pick<CliCommand, 'name' | 'operands' | 'help' | 'options'> {
  readonly choices?: readonly string[];
}

/** Options that may follow the name of a command. */
function commandOptions({ options }: CompletionEntry): readonly CliOption[] {
  return [...options, ...globalOptions];
}

/** Options that are offered before a command: those that several commands share. */
const leadingOptions: readonly CliOption[] = [...sharedOptions, ...globalOptions, versionOption];

function everyOption(commands: readonly CompletionEntry[]): readonly CliOption[] {
  const all = [...commands.flatMap(commandOptions), ...leadingOptions];
  return [...new Map(all.map((option) => [option.name, option])).values()];
}

/** The forms of an option: `-l` if it has a letter, and `--files`. */
function optionSpellings({ name, short }: Pick<CliOption, 'name' | 'short'>): readonly string[] {
  return short ? [`-${short}`, `--${name}`] : [`--${name}`];
}

/** The kind of completion for the value of an option. */
function valueKind({ value = '', choices }: CliOption): 'directories' | 'files' | 'choices' | 'other' {
  if (choices) return 'choices';
  if (value === 'DIR') return 'directories';
  return value.endsWith('FILE') && !value.includes('=') ? 'files' : 'other';
}

/** The kind of completion for the operands of a command. */
function operandKind({
  name,
  operands,
  choices,
}: CompletionEntry): 'choices' | 'parts' | 'command' | 'directories' | 'files' | 'none' {
  if (choices) return 'choices';
  if (name === 'read') return 'parts';
  if (operands === 'COMMAND…') return 'command';
  if (operands.startsWith('[DIR')) return 'directories';
  return operands === '' ? 'none' : 'files';
}

/** Quotes text as one word of a shell. */
function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
