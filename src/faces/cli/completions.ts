/** `oriel completions`: the completion script of a shell, which calls it again for the completions of a command line. */

import { OrielError } from '../../errors.ts';
import { version } from '../../files/package-files.ts';
import { quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { withTool } from './dialect-tool.ts';
import {
  type CliCommand,
  type CliOption,
  type CliStreams,
  globalOptions,
  optionRow,
  sharedOptions,
  versionOption,
} from './options.ts';

/**
 * Takes what completes the last word and puts it into the reply of the shell. bash takes `--display=plain` and `a.zip:dir`
 * for three words each, and replaces only the last of them.
 */
const BASH = `# oriel completions bash > ~/.local/share/bash-completion/completions/oriel
_oriel() {
  local words=() glue= one= kind= last= front=
  COMPREPLY=()
  for one in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#words[@]} -gt 0 && ( -n $glue || $one == [:=]* ) ]]; then
      words[\${#words[@]}-1]+=$one
    else
      words+=("$one")
    fi
    [[ $one == *[:=] ]] && glue=1 || glue=
  done
  last=\${words[\${#words[@]}-1]}
  # What is quoted is not taken apart.
  case $last in
    *[\\\\\\'\\"]*) return ;;
  esac
  one=\${COMP_WORDBREAKS//[^:=]/}
  [[ -n $one ]] && front=\${last%"\${last##*["$one"]}"}
  {
    IFS= read -r kind
    while IFS=$'\\t' read -r one _; do
      one=$(printf %q "\${one#"$front"}")
      COMPREPLY+=("\${one/#'\\#'/#}")
    done
  } < <(oriel completions bash "\${words[@]}" 2>/dev/null)
  last=\${last#"$front"}
  case $kind in
    parts) compopt -o nospace 2>/dev/null ;;
    commands) COMPREPLY=($(compgen -c -- "$last")) ;;
    directories)
      compopt -o filenames 2>/dev/null
      while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -d -- "$last") ;;
    words) compopt +o default 2>/dev/null ;;
  esac
  return 0
}
complete -o default -F _oriel oriel
`;

const ZSH = `#compdef oriel
# oriel completions zsh > "\${fpath[1]}/_oriel"
_oriel() {
  local -a lines=("\${(@f)$(oriel completions zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  local kind=$lines[1]
  shift lines
  local -a found=("\${(@)lines%%$'\\t'*}") shown=("\${(@)lines/$'\\t'/  -- }")
  [[ $kind == (files|directories) && $PREFIX == --*=* ]] && compset -P '*='
  case $kind in
    files) _files ;;
    directories) _files -/ ;;
    commands) _command_names -e ;;
    parts) compadd -S '' -- \${found:#} ;;
    words) compadd -l -d shown -- \${found:#} ;;
  esac
}
_oriel "$@"
`;

const FISH = `# oriel completions fish > ~/.config/fish/completions/oriel.fish
function __oriel_complete
  set -l token (commandline -ct)
  # What cannot be unescaped is not a word yet.
  set -l word (string unescape -- "$token"); or return
  set -l lines (oriel completions fish (commandline -opc)[2..] "$word" 2>/dev/null)
  set -l front (string match -r '^--[^=]*=' -- "$word")
  set -l value (string replace -r '^--[^=]*=' '' -- "$word")
  set -l paths
  switch "$lines[1]"
    case files
      set paths (__fish_complete_path "$value")
    case directories
      set paths (__fish_complete_directories "$value")
    case commands
      __fish_complete_command
  end
  printf '%s\\n' $lines[2..] "$front"$paths
end
complete -c oriel -f -a '(__oriel_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

const names = Object.keys(SCRIPTS);

/** `load` loads the commands with these names, or all; it is passed in, because the list of commands imports this file. */
export const completionsCommand = (
  load: (names?: readonly string[]) => Promise<readonly CliCommand[]>,
): CliCommand => ({
  name: 'completions',
  operands: 'SHELL [WORD…]',
  help: `print completions for a shell; its script (${names.join(', ')}), or what completes the last WORD behind oriel`,
  choices: names,
  options: [],
  endsOptions: true,
  async run({ operands: [shell, ...words] }, streams) {
    const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) {
      const what =
        shell === undefined ? 'No shell was named' : `There are no completions for ${quote(shell)}`;
      throw new OrielError('BAD_INPUT', `${what}. Use oriel completions ${names.join(', or ')}.`);
    }
    if (words.length === 0) {
      streams.out.write(script);
      return 0;
    }
    // Before the last word there is a command already, as a rule: the others are not loaded.
    const [first = ''] = words;
    const isCommand = words.length > 1 && !first.startsWith('-') && first !== 'help';
    const commands = isCommand ? await load([first]).catch(() => []) : await load();
    const { kind, offers = [] } = await complete(words, commands, streams);
    streams.out.write([kind, ...offers].map((line) => `${line}\n`).join(''));
    return 0;
  },
});

/**
 * What completes a word: the words that are offered, or what the shell completes by itself. `parts` are words that may go on:
 * no space follows them.
 */
interface Completions {
  readonly kind: 'words' | 'parts' | 'files' | 'directories' | 'commands';
  /** Each with its description behind a tab, if it has one. */
  readonly offers?: readonly string[] | undefined;
}

/** Completes the last of the words behind `oriel`. */
async function complete(
  typed: readonly string[],
  commands: readonly CliCommand[],
  streams: CliStreams,
): Promise<Completions> {
  const word = typed.at(-1) ?? '';
  let command: CliCommand | undefined;
  let isHelp = false;
  let operands = 0;
  let pending: CliOption | undefined;
  const options = (): readonly CliOption[] =>
    command || isHelp
      ? [...(command?.options ?? []), ...globalOptions]
      : [...sharedOptions, ...globalOptions, versionOption];
  const optionOf = (spelling: string): CliOption | undefined =>
    [...options(), ...commands.flatMap((one) => one.options)].find(
      ({ name, short, value }) => value && (spelling === `--${name}` || spelling === `-${short}`),
    );
  for (const one of typed.slice(0, -1)) {
    if (pending) pending = undefined;
    else if (one.startsWith('-') && !(command?.endsOptions && operands > 1)) pending = optionOf(one);
    else {
      if (operands === 0) command = commands.find(({ name }) => name === one);
      if (operands === 0) isHelp = one === 'help';
      operands += 1;
    }
  }
  if (pending) return valuesOf(pending, word);
  // The options of the command that oriel runs.
  if (command?.endsOptions && operands > 1) return { kind: 'files' };
  const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const option = optionOf(name);
  if (option) return valuesOf(option, value, `${name}=`);
  if (word.startsWith('-')) {
    const offered = options().map(({ name, help }) => ({ name: `--${name}`, help }));
    return described(offered, word);
  }
  if (operands === 0)
    return described([...commands, { name: 'help', help: 'list the commands, or the options of one' }], word);
  if (isHelp)
    return among(
      commands.map(({ name }) => name),
      word,
    );
  return command ? operandsOf(command, word, streams) : { kind: 'files' };
}

async function operandsOf(
  { name, operands, choices }: CliCommand,
  word: string,
  streams: CliStreams,
): Promise<Completions> {
  if (choices) return among(choices, word);
  if (operands === 'COMMAND…') return { kind: 'commands' };
  if (operands.startsWith('[DIR')) return { kind: 'directories' };
  if (operands === '') return { kind: 'words' };
  if (name !== 'read' || !word.includes(':')) return { kind: 'files' };
  return { kind: 'parts', offers: await completeWord(word, streams) };
}

function valuesOf({ value = '', choices }: CliOption, word: string, front = ''): Completions {
  if (choices) return among(choices, word, front);
  if (value === 'DIR') return { kind: 'directories' };
  return { kind: value.endsWith('FILE') && !value.includes('=') ? 'files' : 'words' };
}

function among(words: readonly string[], word: string, front = ''): Completions {
  return { kind: 'words', offers: words.filter((one) => one.startsWith(word)).map((one) => front + one) };
}

function described(
  all: readonly { readonly name: string; readonly help: string }[],
  word: string,
): Completions {
  const fitting = all.filter(({ name }) => name.startsWith(word));
  return { kind: 'words', offers: fitting.map(({ name, help }) => `${name}\t${help}`) };
}

// Completes the part of a word after a colon: symbols of a file, members of an archive, tables of a database.

/** Maximum number of completions, milliseconds, and limits of the reads. */
const MAX_COMPLETIONS = 200;
const MAX_COMPLETION_MS = 10_000;
const LIMITS = 'lines=20000,bytes=1M';

/** Complete words that begin with `word`, in the order of the file; none for a word without a colon, or at the timeout. */
async function completeWord(word: string, streams: CliStreams): Promise<readonly string[]> {
  const [, file] = /^(.+):#[^:,]*$/.exec(word) ?? [];
  const [, front] = /^([^:]+:(?:.*[/:])?)[^/:]*$/.exec(word) ?? [];
  const late = {
    ...streams,
    signal: AbortSignal.any([streams.signal, AbortSignal.timeout(MAX_COMPLETION_MS)]),
  };
  const found = file ? symbolsOf(file, late) : front ? membersOf(front, late) : [];
  const words = await Promise.resolve(found).catch((error: unknown) => {
    if (!late.signal.aborted || streams.signal.aborted) throw error;
    return [];
  });
  return words.filter((one) => one.startsWith(word)).slice(0, MAX_COMPLETIONS);
}

async function symbolsOf(file: string, streams: CliStreams): Promise<string[]> {
  const answer = await read(`${file}:raw`, streams);
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf(':')) + 1);
  if (!answer) return [];
  const { symbolNames } = await import('../../code/parsed.ts');
  const names = await symbolNames(name, textOf(answer), streams.signal);
  return names.filter((one) => /^[\w$.]+$/.test(one)).map((one) => `${file}:#${one}`);
}

/** Members of an archive or of a directory in it, tables of a database. `front` ends with a colon or a slash. */
async function membersOf(front: string, streams: CliStreams): Promise<string[]> {
  const answer = await read(front.replace(/:$/, ''), streams);
  const { kind, meta = {} } = (answer?.details ?? {}) as {
    kind?: string | undefined;
    meta?: Record<string, unknown>;
  };
  const isList =
    (kind === 'archive' && 'entries' in meta && !('member' in meta)) ||
    (kind === 'sqlite' && 'tables' in meta);
  if (!answer || !isList) return [];
  const lines = textOf(answer).split('\n');
  const names = lines.filter((line) => line !== '' && !/^(?:\[|… )/.test(line));
  return names.map((line) => front + line.replace(/ \([^()]*\)$/, ''));
}

/** Undefined if it cannot be read. */
async function read(path: string, streams: CliStreams): Promise<Answer | undefined> {
  const values = { limits: LIMITS, offline: true };
  const answer = await withTool('read', values, streams, (ask) => ask({ path }));
  return answer.isError ? undefined : answer;
}

function textOf({ content }: Answer): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

// `oriel man`: the manual page, generated from the tables of commands and options.

/** `allCommands` is passed in, because the list of commands imports this file. */
export const manCommand = (allCommands: () => Promise<readonly CliCommand[]>): CliCommand => ({
  name: 'man',
  operands: '',
  help: 'print the manual page: oriel man | man -l -',
  options: [],
  async run(_parsed, { out }) {
    out.write(manPage(await allCommands(), version()));
    return 0;
  },
});

function manPage(commands: readonly CliCommand[], release: string): string {
  return [
    `.TH ORIEL 1 "" "oriel ${release}" "User Commands"`,
    '.SH NAME',
    'oriel \\- bounded windows onto anything a coding agent reads',
    '.SH SYNOPSIS',
    ...commands.flatMap(({ name, operands }) => [
      `.B oriel ${name}`,
      ...(operands === '' ? [] : [roff(operands)]),
      '.br',
    ]),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH OPTIONS',
    'Each command lists those of them that it takes.',
    ...[...sharedOptions, ...globalOptions].flatMap(entry),
    '.SH EXIT STATUS',
    '0 when something was found, 1 when nothing was there, 2 for an error.',
    '.SH ENVIRONMENT',
    '.TP\n.B ORIEL_TOKEN_FILE',
    'A file with the bearer token that oriel serve wants with every request.',
    '.TP\n.B ORIEL_TOKEN',
    'That token itself; not together with --allow-bash, since commands could read it.',
    '.TP\n.B NO_COLOR',
    'No colours on a terminal.',
    '',
  ].join('\n');
}

/** Describes the options of the command itself, and lists the names of shared ones. */
function section({ name, operands, help, options }: CliCommand): string[] {
  const own = options.filter((option) => !sharedOptions.includes(option));
  const shared = [...options.filter((option) => !own.includes(option)), ...globalOptions];
  return [
    `.SS oriel ${name} ${roff(operands)}`.trimEnd(),
    `${roff(help)}.`,
    ...own.flatMap(entry),
    '.PP',
    `Options: ${shared.map((option) => roff(`--${option.name}`)).join(', ')}.`,
  ];
}

function entry(option: CliOption): string[] {
  const [spelling, help] = optionRow(option);
  return ['.TP', `.B ${roff(spelling)}`, roff(help)];
}

/** Escapes text for roff: backslashes, leading dots, and dashes, which would become hyphens. */
function roff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');
}
