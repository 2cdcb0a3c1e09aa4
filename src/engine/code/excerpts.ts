/** Shows the lines of symbols in several files as one text, within the budget of one answer. */

import { memoryBytes } from '../../access/bytes.ts';
import type { DeclaredSymbol, UsedAt } from '../../codebase/questions.ts';
import { span } from '../../render/units.ts';
import { decode } from '../../text/encoding.ts';
import { makeVisible, oneLine } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import { encodingOf } from '../../views/source-encoding.ts';
import { linesOf } from '../../views/lines.ts';
import { type Context, NOTICE_ROOM } from './context.ts';

export interface Excerpted {
  readonly text: string;
  readonly notes: readonly Notice[];
  /** Whether nothing was left out and the text is not longer than a map. */
  readonly whole: boolean;
}

/** The most characters of a line that is shown for a use. */
const LONGEST_LINE = 160;

/** The lines of each symbol below a header such as `path [L12-40]`; symbols that do not fit are named with their call. */
export async function excerptOf(symbols: readonly DeclaredSymbol[], context: Context): Promise<Excerpted> {
  const { call, shown } = context;
  const { limits, settings } = call;
  const files = new Files(context);
  let room = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  let rows = limits.lines;
  let [text, cut] = ['', false];
  for (const [i, { path, from, to }] of symbols.entries()) {
    const lines = await files.linesOf(path);
    const file = oneLine(shown(path));
    const head = `${i === 0 ? '' : '\n'}${file} [L${span(from, to)}]\n`;
    // Each symbol gets an equal share of the remaining budget. Of its lines, four are for header, blank line and notice.
    const most = Math.floor(room / (symbols.length - i));
    const end = Math.min(to, lines.length, from + Math.floor(rows / (symbols.length - i)) - 4);
    let part = head;
    let no = from;
    for (; no <= end; no += 1) {
      const line = `${no}|${makeVisible(lines[no - 1] ?? '').text}\n`;
      if (Buffer.byteLength(part) + Buffer.byteLength(line) + 80 > most) break;
      part += line;
    }
    rows -= no - from + 3;
    if (no <= Math.min(to, lines.length)) {
      cut = true;
      part += `… Use ${file}:${no}..${to} for the rest\n`;
    }
    room -= Buffer.byteLength(part);
    text += part;
  }
  const notes: Notice[] = files.changed
    ? [{ kind: 'said', text: 'A file changed while it was read. Call again' }]
    : [];
  return { text, notes, whole: !cut && Buffer.byteLength(text) <= settings.mapBytes };
}

/** The clipped text of each line; undefined for lines that can no longer be read. */
export async function lineTexts(uses: readonly UsedAt[], context: Context): Promise<(string | undefined)[]> {
  const files = new Files(context);
  const texts: (string | undefined)[] = [];
  for (const { path, line } of uses) {
    const found = (await files.linesOf(path))[line - 1]?.trim();
    texts.push(found === undefined ? undefined : makeVisible(clip(found)).text);
  }
  return texts;
}

function clip(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
}

/** Reads the lines of files and caches those of the last file, because lines of one file are requested together. */
class Files {
  changed = false;
  readonly #context: Context;
  #path: string | undefined;
  #lines: readonly string[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /** Empty for a file that is gone. */
  async linesOf(path: string): Promise<readonly string[]> {
    if (path === this.#path) return this.#lines;
    const { code, call } = this.#context;
    this.#path = path;
    this.#lines = [];
    const file = await code.open(path, call.signal);
    if (!file) return this.#lines;
    try {
      this.changed ||= !code.isAsParsed(path, file.key);
      const bytes = await file.read(call.signal);
      if (!bytes) return this.#lines;
      const encoding = await encodingOf(memoryBytes(bytes), call);
      this.#lines = linesOf(decode(bytes.subarray(encoding.bom), encoding).text);
    } finally {
      await file.close();
    }
    return this.#lines;
  }
}
