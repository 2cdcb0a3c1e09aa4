/** The lines above pages and slides, by which a text is divided: no line of their content is one. */

export function markOf(kind: 'page' | 'slide', number: number): string {
  return `--- ${kind} ${number} ---\n\n`;
}

/** The content with a backslash before what looks like such a line, as Markdown escapes a sign. */
export function unmarked(content: string): string {
  return content.replace(/^(?=--- (?:page|slide) \d+ ---$)/gm, '\\');
}
