/** Scanners of texts: Markdown, reStructuredText, diffs, Dockerfiles and Makefiles. */

import type { LineScanner, ScannedSymbol } from '../structure.ts';

// Finds the headings of Markdown, each with its section.

/** Also at the start of an item of a list. */
const atx = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?(#{1,6})(?![^ \t])(.*)/;
/** The marks that may stand behind a title. */
const atxEnd = /(?<![^ \t])#+$/;
const setext = /^ {0,3}(=+|-+)[ \t]*$/;
/** Backticks that end on their line are a code span. */
const fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
/** Comments, and elements whose text is no Markdown. */
const htmlBlock = /^ {0,3}<(?:!--|(pre|script|style|textarea)(?![\w-]))/i;
/** A line that cannot be the text of an underlined heading. */
const noParagraph = /^(?: {4}|\t|\s*$| {0,3}(?:>|[-*+][ \t]|\d+[.)][ \t]|\|))/;

export const scanMarkdown: LineScanner = (lines) => sectionsOf(lines, markdownHeadings(lines));

function* markdownHeadings(lines: readonly string[]): Iterable<SectionHeading> {
  let closing: string | undefined;
  /** What ends the HTML around the line. */
  let closingTag: string | undefined;
  let row = frontMatter(lines);
  for (; row < lines.length; row += 1) {
    const line = lines[row] ?? '';
    const html = closing === undefined ? htmlBlock.exec(line) : null;
    if (html) closingTag ??= html[1] === undefined ? '-->' : `</${html[1].toLowerCase()}`;
    if (closingTag !== undefined) {
      if (line.toLowerCase().includes(closingTag)) closingTag = undefined;
      continue;
    }
    const marks = fence.exec(line)?.[1];
    if (closing !== undefined) {
      if (marks?.startsWith(closing) && line.trim() === marks) closing = undefined;
      continue;
    }
    if (marks !== undefined) {
      closing = marks;
      continue;
    }
    const heading = atx.exec(line);
    const above = lines[row - 1] ?? '';
    const underline = setext.exec(line)?.[1];
    if (heading) {
      const title = (heading[2] ?? '').trim().replace(atxEnd, '').trimEnd();
      yield { level: heading[1]?.length ?? 1, title, line: row + 1 };
    } else if (underline && !noParagraph.test(above) && !atx.test(above) && !setext.test(above)) {
      yield { level: underline.startsWith('=') ? 1 : 2, title: above.trim(), line: row };
    }
  }
}

/** Number of rows of a YAML front matter at the start. */
function frontMatter(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, row) => row > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end === -1 ? 0 : end + 1;
}

// Finds the sections of reStructuredText. A hand-written scanner: tree-sitter-rst 0.2.0 finds titles, but not their levels,
// which follow from the order of their adornments. Source: docutils, "Sections".

/** A line of one repeated punctuation character. */
const adornment = /^([!-/:-@[-`{-~])\1+[ \t]*$/;

/** An adornment with fewer characters must be as long as its title. */
const SURE = 4;

export const scanRestructuredText: LineScanner = (lines) => sectionsOf(lines, restructuredHeadings(lines));

function* restructuredHeadings(lines: readonly string[]): Iterable<SectionHeading> {
  /** The adornment styles in the order of their first occurrence, which determines their level. */
  const styles: string[] = [];
  for (let row = 1; row < lines.length; row += 1) {
    const mark = adornment.exec(lines[row] ?? '')?.[1];
    const title = (lines[row - 1] ?? '').trim();
    if (mark === undefined || title === '' || adornment.test(title)) continue;
    const above = lines[row - 2] ?? '';
    const hasOverline = adornment.exec(above)?.[1] === mark;
    const isIndented = /^\s/.test(lines[row - 1] ?? '');
    if (hasOverline ? false : isIndented || above.trim() !== '') continue;
    const width = (lines[row] ?? '').trimEnd().length;
    if (width < Math.min(SURE, title.length)) continue;
    const style = hasOverline ? mark + mark : mark;
    if (!styles.includes(style)) styles.push(style);
    yield { level: styles.indexOf(style) + 1, title, line: hasOverline ? row - 1 : row, at: row };
  }
}

// Finds the headings of AsciiDoc, Org and LaTeX, each with its section.

/** Delimiters of AsciiDoc blocks whose lines are shown as they are. */
const ASCIIDOC_BLOCK = /^(-{4,}|\.{4,}|={4,}|\+{4,}|\/{4,}|```)\s*$/;

export const scanAsciiDoc: LineScanner = (lines) => sectionsOf(lines, asciiDocHeadings(lines));

/** The line below a title, by its level. */
const ASCIIDOC_UNDERLINES = ['=', '-', '~', '^', '+'];
const asciiDocUnderline = /^([=~^+-])\1+\s*$/;

function* asciiDocHeadings(lines: readonly string[]): Iterable<SectionHeading> {
  let closing: string | undefined;
  for (const [row, line] of lines.entries()) {
    const title = (lines[row - 1] ?? '').trimEnd();
    const mark = asciiDocUnderline.exec(line)?.[1];
    const delimiter = ASCIIDOC_BLOCK.exec(line)?.[1];
    const match = closing === undefined ? /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line) : null;
    const isTitle = /^\w/.test(title) && (lines[row - 2] ?? '').trim() === '';
    if (closing !== undefined) {
      if (delimiter === closing) closing = undefined;
    } else if (mark !== undefined && isTitle && Math.abs(line.trimEnd().length - title.length) < 3)
      yield { level: ASCIIDOC_UNDERLINES.indexOf(mark) + 1, title, line: row, at: row };
    else if (delimiter !== undefined) closing = delimiter;
    else if (match) yield { level: match[1]?.length ?? 1, title: match[2] ?? '', line: row + 1 };
  }
}

const orgHeading = /^(\*+)\s+(?:(?:TODO|DONE)\s+)?(\S.*)/;
const orgTags = /(?<=\s):[\w@:]+:$/;

export const scanOrg: LineScanner = (lines) => sectionsOf(lines, orgHeadings(lines));

function* orgHeadings(lines: readonly string[]): Iterable<SectionHeading> {
  let closing: string | undefined;
  for (const [row, line] of lines.entries()) {
    const [, edge = '', kind = ''] =
      /^\s*#\+(begin|end)_(\S+)/i.exec(line.slice(0, 200))?.map((part) => part.toLowerCase()) ?? [];
    if (edge === 'begin') closing ??= kind;
    else if (kind === closing) closing = undefined;
    const match = closing === undefined ? orgHeading.exec(line) : null;
    if (!match) continue;
    const title = (match[2] ?? '').trimEnd().replace(orgTags, '').trimEnd();
    yield { level: match[1]?.length ?? 1, title, line: row + 1 };
  }
}

const LATEX_LEVELS = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph'];
const latexHeading = new RegExp(String.raw`^\s*\\(${LATEX_LEVELS.join('|')})\*?\s*(?:\[[^\]]*\]\s*)?\{(.*)`);

export const scanLatex: LineScanner = (lines) =>
  sectionsOf(
    lines,
    lines.flatMap((line, row) => {
      const [, command = '', rest = ''] = latexHeading.exec(line) ?? [];
      const title = rest.replace(/\}\s*(?:\\label\{[^}]*\}\s*)?(?:%.*)?$/, '');
      return command === '' ? [] : [{ level: LATEX_LEVELS.indexOf(command) + 1, title, line: row + 1 }];
    }),
  );

// Turns headings into sections: each ends before the next heading of the same or a higher level.

interface SectionHeading {
  /** 1 is the highest. */
  readonly level: number;
  readonly title: string;
  /** The first line of the section, 1-based. */
  readonly line: number;
  /** The line with the title; `line` when absent. */
  readonly at?: number | undefined;
}

function sectionsOf(lines: readonly string[], headings: Iterable<SectionHeading>): ScannedSymbol[] {
  const found: ScannedSymbol[] = [];
  const open: SectionHeading[] = [];
  const closeFrom = (level: number, end: number): void => {
    for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
      open.pop();
      found.push(section(last, lastLine(lines, last.line, end)));
    }
  };
  for (const heading of headings) {
    closeFrom(heading.level, heading.line - 1);
    open.push(heading);
  }
  closeFrom(0, lines.length);
  return found;
}

function section({ level, title, line, at = line }: SectionHeading, to: number): ScannedSymbol {
  const signature = `${'#'.repeat(level)} ${title}`;
  return { kind: 'heading', name: title, signature, from: line, to, at, bodyFrom: at + 1, bodyTo: to };
}

/** The last line that is not blank. */
function lastLine(lines: readonly string[], from: number, end: number): number {
  let to = end;
  while (to > from && (lines[to - 1] ?? '').trim() === '') to -= 1;
  return to;
}

// Finds the files and hunks of a unified diff.

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

interface Part {
  readonly kind: 'file' | 'hunk';
  readonly name: string;
  readonly signature: string;
  readonly from: number;
  to: number;
}

export const scanDiff: LineScanner = (lines) => {
  const parts: Part[] = [];
  let file: Part | undefined;
  let fresh = true;
  const begin = (row: number, name: string): void => {
    file = { kind: 'file', name, signature: name, from: row + 1, to: row + 1 };
    parts.push(file);
  };
  for (let row = 0; row < lines.length; row += 1) {
    const text = lines[row] ?? '';
    const header = hunk.exec(text);
    if (text.startsWith('diff ')) {
      begin(row, / b\/(.+)$/.exec(text)?.[1] ?? text.slice(5));
      fresh = false;
    } else if (text.startsWith('--- ') && (lines[row + 1] ?? '').startsWith('+++ ')) {
      if (fresh) begin(row, nameOf(lines[row + 1] ?? '', text));
      row += 1;
    } else if (header) {
      const end = hunkEnd(lines, row, Number(header[1] ?? 1), Number(header[2] ?? 1));
      parts.push({ kind: 'hunk', name: header[0], signature: text, from: row + 1, to: end + 1 });
      row = end;
      // If there are no `diff` lines, the next `---` begins another file.
      fresh = !lines[(file?.from ?? 1) - 1]?.startsWith('diff ');
    }
    if (file && text !== '') file.to = row + 1;
  }
  return parts.map((part): ScannedSymbol => ({ ...part, bodyFrom: part.from + 1, bodyTo: part.to }));
};

/** The last row of a hunk. Lines are counted, because a removed line may look like a header. */
function hunkEnd(lines: readonly string[], row: number, removed: number, added: number): number {
  let end = row;
  let [before, after] = [removed, added];
  while (end + 1 < lines.length && (before > 0 || after > 0)) {
    const mark = (lines[end + 1] ?? '')[0];
    if (mark === '-') before -= 1;
    else if (mark === '+') after -= 1;
    else if (mark === ' ' || mark === undefined) [before, after] = [before - 1, after - 1];
    else if (mark !== '\\') break;
    end += 1;
  }
  if ((lines[end + 1] ?? '').startsWith('\\')) end += 1;
  return end;
}

function nameOf(added: string, removed: string): string {
  const path = (line: string): string => line.slice(4).split('\t', 1)[0]?.trim() ?? '';
  const name = path(added) === '/dev/null' ? path(removed) : path(added);
  return name.replace(/^[ab]\//, '');
}

// Finds the stages of a Dockerfile.

const from = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i;

export const scanDockerfile: LineScanner = (lines) => {
  const found: ScannedSymbol[] = [];
  const starts = lines.flatMap((text, row) => {
    const match = from.exec(text);
    return match ? [{ row, image: match[1] ?? '', stage: match[2], text }] : [];
  });
  for (const [index, { row, image, stage, text }] of starts.entries()) {
    let to = starts[index + 1]?.row ?? lines.length;
    while (to > row + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
    const body = { bodyFrom: row + 2, bodyTo: to };
    found.push({ kind: 'stage', name: stage ?? image, signature: text.trim(), from: row + 1, to, ...body });
  }
  return found;
};

// Finds the targets of a Makefile with their recipes, and its `define` blocks.

const rule = /^([^\s#:=][^#:=]*?)\s*::?(?![=:])(.*)$/;

export const scanMakefile: LineScanner = (lines) => {
  const found: ScannedSymbol[] = [];
  for (let row = 0; row < lines.length; row += 1) {
    const text = lines[row] ?? '';
    const defined = /^\s*(?:override\s+|export\s+)?define\s+(\S+)/.exec(text);
    const match = rule.exec(text);
    if (defined) {
      const end = lines.findIndex((line, at) => at > row && /^\s*endef\b/.test(line));
      const to = end === -1 ? lines.length : end + 1;
      found.push({ kind: 'macro', name: defined[1] ?? '', signature: text, from: row + 1, to });
      row = to - 1;
    } else if (
      match &&
      !/^(?:\.[A-Z]+|ifeq|ifneq|ifdef|ifndef|else|endif|include|-include|export|vpath)\b/.test(text)
    ) {
      const from = row + 1;
      while (continues(lines, row)) row += 1;
      let to = row + 1;
      while (row + 1 < lines.length && /^(?:\t|\s*$|\s*#)/.test(lines[row + 1] ?? '')) {
        row += 1;
        if ((lines[row] ?? '').startsWith('\t')) to = row + 1;
        while (continues(lines, row)) to = (row += 1) + 1;
      }
      const name = match[1] ?? '';
      found.push({ kind: 'target', name, signature: text, from, to, bodyFrom: from + 1, bodyTo: to });
    }
  }
  return found;
};

function continues(lines: readonly string[], row: number): boolean {
  return row + 1 < lines.length && (lines[row] ?? '').endsWith('\\');
}
