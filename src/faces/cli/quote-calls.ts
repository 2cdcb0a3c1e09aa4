/** Writes the calls in notices and errors as commands that can be pasted into a shell. */

import { callsOf } from '../../render/notices.ts';
import { oneLine, quote, shellArgument, shellWord } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { ParsedArguments } from './options.ts';

// Replaces parts of a sentence by placeholders, so that later rewriting does not change calls and quoted names.

/** The mark after a command. Sentences contain no control characters. */
const COMMAND = '\u0001';

class HeldTexts {
  readonly #texts: string[] = [];

  hold(text: string): string {
    return `\0${this.#texts.push(text) - 1}\0`;
  }

  /** Holds a command. A full stop after it is removed, because it would be pasted with the command. */
  holdCommand(text: string): string {
    return this.hold(text) + COMMAND;
  }

  restore(text: string): string {
    return text
      .replaceAll(`${COMMAND}. `, '; ')
      .replaceAll(`${COMMAND}.`, '')
      .replaceAll(COMMAND, '')
      .replaceAll(/\0(\d+)\0/g, (_, no) => this.restore(this.#texts[Number(no)] ?? ''));
  }
}

// A typed command, and the commands for the same call with other fields.

export interface TypedCommand extends ParsedArguments {
  /** The command: `grep`. */
  readonly name: string;
}

/** Options whose names differ from those of the fields. */
const RENAMED: Readonly<Record<string, string>> = { ignoreCase: 'ignore-case' };

/** Fields of tools that are options of commands. */
export const FIELDS: readonly string[] = [
  'after',
  'before',
  'context',
  'glob',
  'ignoreCase',
  'inside',
  'limit',
  'literal',
  'multiline',
  'offset',
  'sort',
  'symbol',
  'type',
  'word',
];

/** `ignoreCase` → `--ignore-case` */
function optionOf(field: string): string {
  return `--${RENAMED[field] ?? field}`;
}

/** `{ literal: true }` for `oriel grep 'foo(' src` → `oriel grep --literal 'foo(' src` */
function commandWith(fields: Readonly<Record<string, unknown>>, typed: TypedCommand): string {
  const { pattern, path, ...options } = fields;
  const values = { ...typed.values };
  for (const [field, value] of Object.entries(options))
    values[optionOf(field).slice(2)] = value as string | boolean;
  // The first operand is the pattern, unless `--symbol` is given.
  const behind = typed.values['symbol'] === undefined ? typed.operands.slice(1) : typed.operands;
  const rest = typeof path === 'string' ? [path] : behind;
  const first = values['symbol'] === undefined ? [(pattern as string | undefined) ?? typed.operands[0]] : [];
  return commandOf({ ...typed, values, operands: [...first, ...rest].filter((word) => word !== undefined) });
}

/** The command, quoted for a shell. */
export function commandOf({ name, values, operands }: TypedCommand): string {
  const options = Object.entries(values).flatMap(([option, value]) =>
    [value ?? []].flat().map((one) => written(option, one)),
  );
  const words = operands.map(shellArgument);
  const end = operands.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['oriel', name, ...options.filter((option) => option !== ''), ...end, ...words].join(' ');
}

/** Writes an option; habits are dropped, because they are the default behaviour. */
function written(option: string, value: string | boolean): string {
  if (option.startsWith('habit-') || value === false) return '';
  if (value === true) return `--${option}`;
  return `--${option}${value.startsWith('-') ? '=' : ' '}${shellArgument(value)}`;
}

// Rewrites the sentences of tools for the command line: fields become options, and suggested calls become commands that can
// be pasted.

/** Matches names of fields, but not in paths: `app.db:users?limit=5&offset=9`, `data/type=x`, `context/a.ts`. */
const field = `(?<![?&/.-])\\b(${FIELDS.join('|')})(?![\\w/-]|[.:]\\w)`;

/** A typed word that contains the name of a field. It is held, so that it is not rewritten. */
const NAMES_FIELD = new RegExp(`\\b(?:${FIELDS.join('|')})\\b`);

/** `calls`: the fields of the calls that the answer suggests. Text in `held` is not changed. */
export function inOwnWords(
  sentence: string,
  typed: TypedCommand,
  calls: readonly Readonly<Record<string, unknown>>[],
  held = new HeldTexts(),
): string {
  const guessed = sentence.replace(/(?<=\bDid you mean )(.+?)(?=\?(?: |$))/, (_, names: string) =>
    names
      .split(/(, | or )/)
      .map((name, i) => (i % 2 === 1 ? name : held.hold(name.includes('\0') ? name : shellWord(name))))
      .join(''),
  );
  const listed = guessed.replace(FIND_CALL, (whole, json: string) => {
    const command = findCommand(json, typed);
    return command === undefined ? whole : `Use ${held.holdCommand(command)}.`;
  });
  const named = calls.reduce((text, fields) => nameCommand(text, fields, typed, held), listed);
  const known = [...typed.operands, ...Object.values(typed.values).flat()].reduce<string>(
    (text, word) =>
      typeof word === 'string' && /[\s=/]/.test(word) && NAMES_FIELD.test(word)
        ? text.replaceAll(quote(word), (found) => held.hold(found))
        : text,
    named,
  );
  const worded = typed.name === 'read' ? asCalls(known, typed) : asOptions(known);
  const inOptions = typed.name === 'bash' ? worded.replace(/\bUse cwd (?=\S+\.$)/, 'Use --cwd ') : worded;
  return held.restore(inOptions.replaceAll(/\bUse (ls|grep|find)(?= (?:to|for) )/g, 'Use oriel $1'));
}

const FIND_CALL = /\bUse find (\{".*\})\.$/s;

/** `oriel ls 'src/*.ts'` → `oriel find '*.ts' src` */
function findCommand(json: string, { values }: TypedCommand): string | undefined {
  try {
    const { pattern, path } = JSON.parse(json) as Readonly<Record<string, string | undefined>>;
    return commandOf({
      name: 'find',
      values,
      operands: [pattern, path].filter((word) => word !== undefined),
    });
  } catch {
    return undefined;
  }
}

/** Replaces the fields of a suggested call by the equivalent command. */
function nameCommand(
  text: string,
  fields: Readonly<Record<string, unknown>>,
  typed: TypedCommand,
  held: HeldTexts,
): string {
  const whole = `Use ${JSON.stringify(fields)}`;
  if (text.includes(whole))
    return text.replace(whole, () => `Use ${held.holdCommand(callWith(fields, typed))}`);
  const command = (): string => held.holdCommand(commandWith(fields, typed));
  const moved = globMoved(fields).find((words) => text.includes(`Use ${words}.`));
  if (moved !== undefined)
    return text
      .replace('; a glob is a field of its own', '; a glob is not a path')
      .replace(`Use ${moved}`, () => `Use ${command()}`);
  const { pattern, symbol, literal, multiline, glob } = fields;
  if (typeof glob === 'string' && text.endsWith(`Use glob ${oneLine(glob)}.`))
    return text.replace(`Use glob ${oneLine(glob)}`, () => `Use ${command()}`);
  if (literal === true)
    return text.replace(/(?<=plain text) with literal=true(?=\.)/, () => ` with --literal: ${command()}`);
  if (multiline === true) return text.replace('multiline=true', command);
  if (typeof symbol === 'string') return text.replace(`symbol "${quote(symbol)}"`, command);
  if (typeof pattern !== 'string') return text;
  const worded = [
    `pattern ${oneLine(pattern)} with ignoreCase=true`,
    `pattern ${oneLine(pattern)}`,
    oneLine(pattern),
  ].find((words) => text.includes(`Use ${words}`));
  return worded === undefined ? text : text.replace(`Use ${worded}`, () => `Use ${command()}`);
}

/** The words for the fields of a call after its path had a glob. */
function globMoved({ path, glob, pattern }: Readonly<Record<string, unknown>>): string[] {
  if (typeof path !== 'string') return [];
  const use = `path=${oneLine(path)}`;
  const globs = Object.entries({ glob, pattern }).flatMap(([field, value]) =>
    typeof value === 'string' ? [`${use} with the ${field} ${oneLine(value)}`] : [],
  );
  return [...globs, use];
}

/** The `oriel call` command with all fields as JSON. */
function callWith(
  fields: Readonly<Record<string, unknown>>,
  { name, values, operands: [tool] }: TypedCommand,
): string {
  const own = Object.entries(values).filter(([option]) => !OPTIONS.has(option));
  const reads = /^(?:zed|coder)$/.test(String(values['dialect'])) ? 'read_file' : 'read';
  const called = name === 'call' ? tool : name === 'read' ? reads : name;
  return commandOf({
    name: 'call',
    values: Object.fromEntries(own),
    operands: [called ?? reads, JSON.stringify(fields)],
  });
}

/** Options that are fields in `oriel call`. */
const OPTIONS: ReadonlySet<string> = new Set(FIELDS.map((name) => optionOf(name).slice(2)));

/** `Use offset=3 to continue` → `Use --offset 3 to continue` */
function asOptions(text: string): string {
  return text
    .replaceAll('pattern *.ts for files, or symbol "', `oriel find '*.ts' for files, or symbol "`)
    .replaceAll(/\bsymbol "parse header"/g, 'oriel find --symbol "parse header"')
    .replaceAll(
      new RegExp(`\\bUse ${field}=false\\b`, 'g'),
      (_, name: string) => `Leave out ${optionOf(name)}`,
    )
    .replaceAll(new RegExp(`${field}=true\\b`, 'g'), (_, name: string) => optionOf(name))
    .replaceAll(
      new RegExp(`${field}=((?:\\{[^\\s}]*\\}|[^\\s,;)])+?)(?=[.,;)]?(?:\\s|$))`, 'g'),
      (_, name: string, value: string) => `${optionOf(name)} ${shellArgument(value)}`,
    )
    .replaceAll(new RegExp(`(?<=\\b(?:with|without|out|Use) )${field}`, 'g'), optionOf)
    .replace(new RegExp(`^${field}(?= must be )`), optionOf);
}

/** For fields that `oriel read` does not have: `Use start_line=5 and end_line=9` → `Use oriel call read_file …` */
function asCalls(text: string, { operands: [path], values }: TypedCommand): string {
  const { dialect, ...others } = values;
  if (typeof dialect !== 'string') return text;
  const name = dialect === 'zed' ? 'read_file' : 'read';
  const read = (...fields: readonly string[]): string => {
    const input = { path, ...Object.fromEntries(pairs(fields)) };
    return commandOf({
      name: 'call',
      values: { dialect, ...others },
      operands: [name, JSON.stringify(input)],
    });
  };
  return text.replaceAll(
    /\b(offset|start_byte|start_line)=(\d+)(?: and (end_line)=(\d+))?/g,
    (_all, ...groups: (string | number | undefined)[]) =>
      read(...groups.slice(0, 4).filter((group) => typeof group === 'string')),
  );
}

function pairs(words: readonly string[]): [string, number][] {
  return words.flatMap((word, i) => (i % 2 === 0 ? [[word, Number(words[i + 1])] as [string, number]] : []));
}

type Details = Answer['details'];

/** The notices of an answer: the line in the text, and the line that is printed instead. */
export function pasteableNotices(
  { details }: Answer,
  typed?: TypedCommand,
): readonly (readonly [line: string, printed: string])[] {
  const notices = (details['notices'] as readonly { readonly text: string }[] | undefined) ?? [];
  return notices.map((notice) => {
    const { text } = notice;
    return [`[${text}]`, `[${pasteable(text, details, typed, callsOf(notice))}]`];
  });
}

/**
 * Quotes paths in a sentence, and rewrites suggested fields to the typed command with options. `calls`: the paths in the
 * sentence, if they are known.
 */
export function pasteable(
  sentence: string,
  details: Details,
  typed?: TypedCommand,
  calls: readonly string[] = [],
): string {
  const held = new HeldTexts();
  const fields = nextFields(details);
  const paths = typed === undefined ? nextCalls(details) : [...pathsOf(details, fields), ...readPaths(typed)];
  const quoted = holdCalls(sentence, [...calls, ...paths], held);
  const subject = calls.length > 0 ? quoted : holdSubject(quoted, subjectOf(details, typed), held);
  const worded = typed === undefined ? subject : inOwnWords(subject, typed, fields, held);
  return held.restore(worded).replaceAll(/\bUse read (?=['\w./~])/g, 'Use oriel read ');
}

/** The paths of the suggested calls, from `next` in the details and from their fields. */
function pathsOf(details: Details, fields: readonly Readonly<Record<string, unknown>>[]): string[] {
  const named = fields.flatMap(({ path, cwd }) => [path, cwd]).filter((path) => typeof path === 'string');
  return [...nextCalls(details).filter((call) => !call.startsWith('{')), ...named];
}

/** What was typed to be read, which errors repeat. */
function readPaths({ name, operands }: TypedCommand): readonly string[] {
  return name === 'read' ? operands : [];
}

/** Holds known calls in the sentence; the longest first, because it may contain others. */
function holdCalls(sentence: string, calls: readonly string[], held: HeldTexts): string {
  return [...new Set(calls)]
    .filter((call) => call !== '')
    .sort((a, b) => b.length - a.length)
    .reduce(
      (text, call) => text.replaceAll(behindCall(escaped(call)), () => held.hold(shellWord(call))),
      sentence,
    );
}

/** Holds the path that was read, with a following selector: `my file.txt:1` becomes `'my file.txt:1'`. */
function holdSubject(sentence: string, subject: string, held: HeldTexts): string {
  if (subject.length < 2) return sentence;
  const call = behindCall(`${escaped(subject)}(?:[:?][^\\s'\\],;)\0]*(?:[^\\s'\\],;.)?\0]|\\.\\.))?`);
  return sentence.replaceAll(call, (found) => held.hold(shellWord(found)));
}

/** The path that was read; for an error, the typed path without its selector. */
function subjectOf({ source }: Details, typed: TypedCommand | undefined): string {
  if (typeof source === 'string') return source;
  return typed?.name === 'read' ? (typed.operands[0]?.replace(/(?<=.)[:?].*$/s, '') ?? '') : '';
}

/** Matches the pattern as a word of its own that is not quoted yet. A following question mark is not part of it. */
function behindCall(pattern: string): RegExp {
  return new RegExp(`(?<![^\\s(])${pattern}(?=\\??(?:$|[\\s,;.)\\]]))`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Suggested calls in the form of fields of the tool. */
function nextFields(details: Details): Record<string, unknown>[] {
  return nextCalls(details).flatMap((call) => {
    if (!call.startsWith('{')) return [];
    try {
      return [JSON.parse(call) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** All `next` in the details: paths, or fields as JSON. */
function nextCalls(details: unknown): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([key, value]) =>
    key === 'next' && typeof value === 'string' ? [value] : nextCalls(value),
  );
}
