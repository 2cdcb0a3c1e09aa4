/**
 * Rewrites the sentences of tools for the command line: fields become options, and suggested calls become commands that can
 * be pasted.
 */

import { shellArgument, shellWord } from '../../text/shell.ts';
import { oneLine, quote } from '../../text/visible.ts';
import { Held } from './placeholders.ts';
import { commandOf, commandWith, FIELDS, optionOf, type Typed } from './typed-command.ts';

/** Matches names of fields, but not in paths: `app.db:users?limit=5&offset=9`, `data/type=x`, `context/a.ts`. */
const field = `(?<![?&/.-])\\b(${FIELDS.join('|')})(?![\\w/-]|[.:]\\w)`;

/** A typed word that contains the name of a field. It is held, so that it is not rewritten. */
const NAMES_FIELD = new RegExp(`\\b(?:${FIELDS.join('|')})\\b`);

/** `calls`: the fields of the calls that the answer suggests. Text in `held` is not changed. */
export function inOwnWords(
  sentence: string,
  typed: Typed,
  calls: readonly Readonly<Record<string, unknown>>[],
  held = new Held(),
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
function findCommand(json: string, { values }: Typed): string | undefined {
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
  typed: Typed,
  held: Held,
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
  { name, values, operands: [tool] }: Typed,
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
function asCalls(text: string, { operands: [path], values }: Typed): string {
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
