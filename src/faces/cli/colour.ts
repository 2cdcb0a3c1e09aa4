/** Colours of answers on a terminal: notices, line numbers, and the paths of matches. */

import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** NO_COLOR and FORCE_COLOR as other tools take them; the first wins. */
export function usesColour(out: NodeJS.WriteStream): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = process.env;
  if (no) return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return out.isTTY && terminal !== 'dumb' && out.hasColors();
}

/** Not styleText as it is: it would decide by the environment for itself. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** `notices` are whole lines of `text`. */
export function colour(text: string, notices: ReadonlySet<string>): string {
  return text
    .split('\n')
    .map((line) => (notices.has(line) ? paint('yellow', line) : colourLine(line)))
    .join('\n');
}

/** `12|text` of a file, `path:12: text` and `path-12- text` of a search. */
function colourLine(line: string): string {
  const numbered = /^( *\d+)(\|)/.exec(line);
  if (numbered) return `${paint('green', numbered[1] as string)}|${line.slice(numbered[0].length)}`;
  const match = /^(.{1,4096}?)([:-])(\d+)\2 /.exec(line);
  if (!match) return line;
  const [all, path, mark, no] = match as unknown as [string, string, string, string];
  return `${paint('magenta', path)}${mark}${paint('green', no)}${mark} ${line.slice(all.length)}`;
}
