/**
 * Changes a text before it is parsed, where a grammar fails on common code: character for
 * character, so that every offset stays (rows may not: they are counted in the original).
 */

interface Massage {
  readonly pattern: RegExp;
  /** As long as the match. */
  replace(match: string, group: string): string;
}

/** `class EXPORT_API Server`: a macro between the keyword and the name cannot be known without the preprocessor. */
const exportMacro: Massage = {
  pattern:
    /\b(?:class|struct|union|enum(?: +class)?) +([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?= +[A-Za-z_]\w*(?: +final)?\s*(?:[:{]|$))/gm,
  replace: (match, macro) => match.slice(0, -macro.length) + ' '.repeat(macro.length),
};

/** `#line 12 "parser.y"`: generators write it between the head of a function and its body. */
const lineDirective: Massage = {
  pattern: /^[ \t]*#[ \t]*(?:line[ \t]+)?\d+(?:[ \t]+"[^"\n]*"[ \t\d]*)?(?=\r?$)/gm,
  replace: (match) => ' '.repeat(match.length),
};

const massages: Readonly<Record<string, readonly Massage[]>> = {
  c: [exportMacro, lineDirective],
  cpp: [exportMacro, lineDirective],
  kotlin: [
    // A class header whose `constructor` begins another line: the grammar ends the class at the line's end.
    {
      pattern:
        /\bclass +\w+(?:<[^<>\n]*>)?(?:[ \t]*\r?\n[ \t]*(?:@\w+|public|private|protected|internal))*[ \t]*\r?\n[ \t]*(?=constructor\b|(?:@\w+\s+|public\s+|private\s+|protected\s+|internal\s+)+constructor\b)/g,
      replace: (match) => match.replace(/[\r\n]/g, ' '),
    },
    // `{ fun size() = 1 }`: a statement must end before the brace, which takes a line's end.
    { pattern: /[\w)}] \}(?=\s*$)/gm, replace: (match) => match.replace(' ', '\n') },
  ],
};

export function massaged(text: string, grammar: string): string {
  return (massages[grammar] ?? []).reduce(
    (current, { pattern, replace }) => current.replace(pattern, replace),
    text,
  );
}
