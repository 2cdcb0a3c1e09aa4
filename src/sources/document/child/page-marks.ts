/** The mark lines that divide a text into pages and slides. Content that looks like a mark is escaped. */

export function markOf(kind: 'page' | 'slide', number: number): string {
  return `--- ${kind} ${number} ---\n\n`;
}

/** Escapes lines of the content that look like a mark with a backslash, as Markdown escapes signs. */
export function unmarked(content: string): string {
  return content.replace(/^(?=--- (?:page|slide) \d+ ---$)/gm, '\\');
}
