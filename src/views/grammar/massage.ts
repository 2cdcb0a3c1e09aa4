/**
 * Rewrites code on which a grammar fails before it is parsed. Each replacement has the length of the original, so that
 * offsets stay valid. Rows may change; they are computed from the original text.
 */

interface Massage {
  readonly pattern: RegExp;
  /** The replacement, which must have the length of the match. */
  replace(match: string, group: string): string;
}

/** `class EXPORT_API Server`: the grammar cannot recognise a macro between the keyword and the name. */
const exportMacro: Massage = {
  pattern:
    /\b(?:class|struct|union|enum(?: +class)?) +([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?= +[A-Za-z_]\w*(?: +final)?\s*(?:[:{]|$))/gm,
  replace: (match, macro) => match.slice(0, -macro.length) + ' '.repeat(macro.length),
};

/** `#line 12 "parser.y"`: generated code has it between the head of a function and its body. */
const lineDirective: Massage = {
  pattern: /^[ \t]*#[ \t]*(?:line[ \t]+)?\d+(?:[ \t]+"[^"\n]*"[ \t\d]*)?(?=\r?$)/gm,
  replace: (match) => ' '.repeat(match.length),
};

const massages: Readonly<Record<string, readonly Massage[]>> = {
  c: [exportMacro, lineDirective],
  cpp: [exportMacro, lineDirective],
  kotlin: [
    // A class header with `constructor` on the next line: the grammar ends the class at the end of its first line.
    {
      pattern:
        /\bclass +\w+(?:<[^<>\n]*>)?(?:[ \t]*\r?\n[ \t]*(?:@\w+|public|private|protected|internal))*[ \t]*\r?\n[ \t]*(?=constructor\b|(?:@\w+\s+|public\s+|private\s+|protected\s+|internal\s+)+constructor\b)/g,
      replace: (match) => match.replace(/[\r\n]/g, ' '),
    },
    // `{ fun size() = 1 }`: the grammar requires a newline before the closing brace.
    { pattern: /[\w)}] \}(?=\s*$)/gm, replace: (match) => match.replace(' ', '\n') },
  ],
};

export function massaged(text: string, grammar: string): string {
  return (massages[grammar] ?? []).reduce(
    (current, { pattern, replace }) => current.replace(pattern, replace),
    text,
  );
}
