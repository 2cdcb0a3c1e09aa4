/** Carries comments, headers and footers through a converter that would lose them: as marked text before, restored after. */

/** Delimiters of a comment during conversion. They are Unicode noncharacters, which do not occur in texts. */
export const COMMENT = { open: '\ufdd0', close: '\ufdd1' } as const;

/** Delimiters of a header or footer. */
export const MARGIN = { open: '\ufdd2', close: '\ufdd3' } as const;

const COMMENTS = /( ?)\ufdd0([^\ufdd0\ufdd1]*)\ufdd1([\p{L}\p{N}]*)/gu;
const MARGINS = /\n*\ufdd2([^\ufdd2\ufdd3]*)\ufdd3\n*/g;

/** A comment between its delimiters; `by` (the author) may be empty. */
export function comment(by: string, text: string): string {
  return `${COMMENT.open}${by === '' ? '' : ` by ${by}`}: ${text}${COMMENT.close}`;
}

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export const HEADS_AND_FEET = 'Headers and footers';

/** Restores comments after the words that they refer to, and appends headers, footers and `sections` at the end. */
export function restoreTexts(markdown: string, sections: readonly Section[] = []): string {
  if (sections.every(({ lines }) => lines.length === 0) && !/[\ufdd0-\ufdd3]/.test(markdown)) return markdown;
  const margins = [...markdown.matchAll(MARGINS)].map((match) => match[1] ?? '');
  const text = markdown
    .replace(MARGINS, '\n')
    .replace(COMMENTS, (_, before: string, said: string, rest: string, at: number) => {
      const isFirst = before === '' && (at === 0 || markdown[at - 1] === '\n');
      return `${rest}${isFirst && rest === '' ? '' : ' '}[comment${said}]`;
    })
    .replace(/[\ufdd0-\ufdd3]/g, '');
  const all = [...sections, { title: HEADS_AND_FEET, lines: margins }];
  return [text.trimEnd(), ...all.map(sectionText)].filter((part) => part !== '').join('\n\n') + '\n';
}

function sectionText({ title, lines }: Section): string {
  const said = [...new Set(lines.map((line) => line.replace(/\s+/g, ' ').trim()))];
  return said.length === 0 ? '' : `## ${title}\n\n${said.map((line) => `- ${line}`).join('\n')}`;
}
