/** Colours answers on a terminal: notices, line numbers, paths, and matches of a search. */

import { styleText } from 'node:util';
import { NO_FILES, NO_MATCHES } from '../../render/list-notices.ts';
import type { Typed } from './typed.ts';

type Style = Parameters<typeof styleText>[0];

/** NO_COLOR and FORCE_COLOR as in other tools; NO_COLOR has priority. */
export function usesColour(out: NodeJS.WriteStream): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = process.env;
  if (no) return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return out.isTTY && terminal !== 'dumb' && out.hasColors();
}

/** `styleText` without its own check of the environment. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** `notices`: whole lines of `text`. With `typed`, the paths and matches of its command are coloured too. */
export function colour(text: string, notices: ReadonlySet<string>, typed?: Typed): string {
  const found = typed && foundBy(typed);
  const line = typed && listsPaths(typed) ? colourPath : (one: string) => colourLine(one, found);
  return text
    .split('\n')
    .map((one) => (notices.has(one) ? paint('yellow', one) : line(one)))
    .join('\n');
}

/** Whether a line is a path, or with `--count` a path and a number. */
function listsPaths({ name, values }: Typed): boolean {
  if (name === 'grep') return values['files'] === true || values['count'] === true;
  return name === 'ls' || (name === 'find' && values['symbol'] === undefined);
}

const NOTHING: ReadonlySet<string> = new Set([NO_FILES, NO_MATCHES, '(empty directory)', '']);

function colourPath(line: string): string {
  if (NOTHING.has(line)) return line;
  const [, path = line, count] = /^(.+): (\d+)$/.exec(line) ?? [];
  return paint('magenta', path) + (count === undefined ? '' : `: ${paint('green', count)}`);
}

/** Maximum characters of a pattern whose matches are highlighted. */
const MOST_CHARACTERS = 200;

/**
 * The regular expression for highlighting matches. Undefined if the pattern is invalid in JavaScript, whose engine
 * backtracks, or could be slow there: with two repetitions, or a repeated group.
 */
function foundBy({ name, values, operands: [pattern = ''] }: Typed): RegExp | undefined {
  if (name !== 'grep' || pattern === '' || pattern.length > MOST_CHARACTERS) return undefined;
  const literal = values['literal'] === true;
  if (!literal && (pattern.match(/[*+?{]/g)?.length ?? 0) > 1) return undefined;
  if (!literal && /\)[*+?{]|\{\d*,?\d{3}/.test(pattern)) return undefined;
  const source = literal ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  const flags = values['ignore-case'] === true ? 'gui' : 'gu';
  try {
    return new RegExp(values['word'] === true ? `\\b(?:${source})\\b` : source, flags);
  } catch {
    return undefined;
  }
}

/** `12|text` of a file, `path:12: text` and `path-12- text` of a search. */
function colourLine(line: string, found: RegExp | undefined): string {
  const numbered = /^( *\d+)(\|)/.exec(line);
  if (numbered) return `${paint('green', numbered[1] as string)}|${line.slice(numbered[0].length)}`;
  const match = /^(.{1,4096}?)([:-])(\d+)\2 /.exec(line);
  if (!match) return line;
  const [all, path, mark, no] = match as unknown as [string, string, string, string];
  const text = line.slice(all.length);
  const shown =
    found && mark === ':'
      ? text.replaceAll(found, (part) => (part === '' ? '' : paint('redBright', part)))
      : text;
  return `${paint('magenta', path)}${mark}${paint('green', no)}${mark} ${shown}`;
}
