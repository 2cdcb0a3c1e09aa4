/** Takes out of the XML of .docx and .odt what the program that wrote it does not show. */

import { each } from './xml-elements.ts';
import { attribute } from './zip-parts.ts';

const W = '(?:\\w+:)?';

/** `<w:vanish/>`, unless its value turns it off. */
const VANISH = /<(?:\w+:)?vanish(?=[\s/>])([^>]*)>/;

const OFF = /val\s*=\s*["'](?:0|false|off)["']/;

/** What the properties say; undefined where they say nothing of it. */
function vanishes(properties: string): boolean | undefined {
  const said = VANISH.exec(properties);
  return said ? !OFF.test(said[1] ?? '') : undefined;
}

/** Identifiers of the styles of Word that hide characters. */
export function hidingStyles(styles: string): ReadonlySet<string> {
  const found = new Set<string>();
  each(styles, `${W}style`, (content, tag) => {
    if (vanishes(content)) found.add(attribute(tag, `${W}styleId`) ?? '');
    return '';
  });
  return found;
}

/** The part without runs that are hidden, by themselves or by their style. */
export function shownWord(xml: string, hiding: ReadonlySet<string>): string {
  if (hiding.size === 0 && !VANISH.test(xml)) return xml;
  return each(xml, `${W}r`, (content, tag) => {
    const whole = `${tag}${content}</${tag.slice(1).split(/[\s>]/)[0]}>`;
    const [, properties = ''] = /^\s*<(?:\w+:)?rPr(?:\s[^>]*)?>([^]*?)<\/(?:\w+:)?rPr>/.exec(content) ?? [];
    const [style] = /<(?:\w+:)?rStyle\s[^>]*>/.exec(properties) ?? [];
    const isHidden = vanishes(properties) ?? hiding.has((style && attribute(style, `${W}val`)) ?? '');
    // One that holds others, of a text box, is not taken apart; fields and their ends stay in any case.
    return isHidden && !/<(?:\w+:)?(?:r|fldChar|commentReference)[\s>]/.test(content) ? '' : whole;
  });
}

/** Names of the styles of OpenDocument that hide text. */
function hidingNames(xml: string): Set<string> {
  const found = new Set<string>();
  each(xml, 'style:style', (content, tag) => {
    if (/\stext:display\s*=\s*["']none["']/.test(content)) found.add(attribute(tag, 'style:name') ?? '');
    return '';
  });
  return found;
}

/** The content without spans, paragraphs and sections that are hidden. */
export function shownOpen(xml: string, styles: string): string {
  if (!/\s(?:text:display|text:is-hidden)\s*=/.test(xml + styles)) return xml;
  const hiding = new Set([...hidingNames(styles), ...hidingNames(xml)]);
  const isHidden = (tag: string): boolean =>
    hiding.has(attribute(tag, 'text:style-name') ?? '') ||
    attribute(tag, 'text:display') === 'none' ||
    attribute(tag, 'text:is-hidden') === 'true';
  let shown = xml;
  // The innermost first: what is hidden in a paragraph goes before the paragraph.
  for (const name of ['text:hidden-text', 'text:span', 'text:(?:p|h)', 'text:section'])
    shown = each(shown, name, (content, tag) => {
      const own = tag.slice(1).split(/[\s>]/)[0];
      const holdsAnother = new RegExp(`<${own}[\\s>]`).test(content);
      return isHidden(tag) && !holdsAnother ? '' : `${tag}${content}</${own}>`;
    });
  return shown;
}
