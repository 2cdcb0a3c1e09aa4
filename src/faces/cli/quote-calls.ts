/** The calls that answers name, for a shell: paths in sentences are quoted, and calls by fields are printed as commands. */

import { callsOf } from '../../render/notices.ts';
import { shellArgument, shellWord } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { ParsedArguments } from './options.ts';

export interface TypedCommand extends ParsedArguments {
  /** The command: `grep`. */
  readonly name: string;
}

/** Options of commands that are fields of tools. */
const OPTIONS: readonly string[] =
  'after before context glob ignore-case inside limit literal multiline offset sort source symbol type word'.split(
    ' ',
  );

type CallFields = Readonly<Record<string, unknown>>;
type Details = Answer['details'];

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

/** The command for the next call that the details name by fields: all of a call in an error, or those that change. */
function nextCommand({ error, hint, truncation }: Details, typed: TypedCommand): string | undefined {
  const { next = truncation?.next } = (hint ?? {}) as { readonly next?: unknown };
  const whole = error && fieldsIn(error.next);
  const fields = whole ?? fieldsIn(next);
  if (!fields) return undefined;
  if (typed.name === 'bash') {
    const { command: _, ...options } = whole ?? {};
    const given = Object.entries(options).map(([name, value]) => [name, String(value)] as const);
    return whole && commandOf({ ...typed, values: { ...typed.values, ...Object.fromEntries(given) } });
  }
  const own = Object.entries(typed.values).filter(([name]) => !OPTIONS.includes(name));
  if (typed.name === 'read') {
    const call = { path: typed.operands[0], ...fields };
    const tool = /^(?:zed|coder)$/.test(String(typed.values['dialect'])) ? 'read_file' : 'read';
    return commandOf({
      name: 'call',
      values: Object.fromEntries(own),
      operands: [tool, JSON.stringify(call)],
    });
  }
  const changed = Object.entries(fields).flatMap(([field, value]) => {
    const option = field === 'ignoreCase' ? 'ignore-case' : field;
    return OPTIONS.includes(option) ? [[option, value === true ? true : String(value)] as const] : [];
  });
  const values = Object.fromEntries([...(whole ? own : Object.entries(typed.values)), ...changed]);
  // The first operand is the pattern, unless the command has none.
  const hasPattern = typed.name !== 'ls' && typed.values['symbol'] === undefined;
  const [pattern, path] = hasPattern ? typed.operands : [undefined, typed.operands[0]];
  const { pattern: otherPattern = pattern, path: otherPath = path } = fields;
  const first = values['symbol'] === undefined ? [otherPattern] : [];
  const operands = [...first, otherPath].filter((word) => typeof word === 'string');
  return commandOf({ ...typed, values, operands });
}

function fieldsIn(next: unknown): CallFields | undefined {
  if (typeof next === 'object' && next !== null) return next as CallFields;
  if (typeof next !== 'string' || !next.startsWith('{"')) return undefined;
  try {
    return JSON.parse(next) as CallFields;
  } catch {
    return undefined;
  }
}

/** The notices of an answer: the line in the text, and the line that is printed instead. */
export function pasteableNotices(
  { details }: Answer,
  typed?: TypedCommand,
): readonly (readonly [line: string, printed: string])[] {
  const notices = details.notices ?? [];
  const command = typed && nextCommand(details, typed);
  return notices.map((notice, at) => {
    const { text } = notice;
    const end =
      command === undefined || at < notices.length - 1
        ? ''
        : `${/[.?]$/.test(text) ? '' : '.'} Command: ${command}`;
    return [`[${text}]`, `[${quoted(text, callsOf(notice))}${end}]`];
  });
}

export function pasteableError(sentence: string, details: Details, typed?: TypedCommand): string {
  const { next = '' } = details.error ?? {};
  const read = typed?.name === 'read' ? typed.operands : [];
  const { path = fieldsIn(next) ? '' : next } = fieldsIn(next) ?? {};
  const text = quoted(sentence, [String(path), ...read]);
  // A path that the sentence names takes the place of the one that was typed.
  const isNamed = path !== '' && sentence.includes(`Use ${String(path)}`);
  const command = typed && !isNamed ? nextCommand(details, typed) : undefined;
  return command === undefined ? text : `${text} Command: ${command}`;
}

/** Writes the calls in a sentence for a shell; the longest first, because it may contain others. */
function quoted(sentence: string, calls: readonly string[]): string {
  const words = [...new Set(calls)].filter((call) => call !== '');
  if (words.length === 0) return sentence;
  const any = words
    .sort((a, b) => b.length - a.length)
    .map((call) => call.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
  const call = new RegExp(`(?<![^\\s(])(read )?(${any})(?=\\??(?:$|[\\s,;.)\\]]))`, 'g');
  return sentence.replaceAll(
    call,
    (_, tool: string | undefined, path: string) => (tool ? 'oriel read ' : '') + shellWord(path),
  );
}
