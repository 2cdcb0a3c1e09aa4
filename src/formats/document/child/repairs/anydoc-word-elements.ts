/**
 * anydoc 0.1.9 leaves out what is in these elements of a .docx: rows and cells of tables in content controls or custom XML, and
 * the values of boxes and lists in forms, and of other fields without a result. Text that is a property of a shape (WordArt, watermarks) is left out as well.
 */

import { isOnValue } from '../hidden-text.ts';
import { replaceRanges, type XmlReplacement } from '../xml-walk.ts';
import { attribute, contents, each, elements, escapeXml, plainText } from '../zip-parts.ts';
import { signOfField, wordsOfField } from './anydoc-symbol-fonts.ts';

/** `text` makes a text element of escaped words. */
export function shownElements(xml: string, text: (words: string) => string): string {
  return withFieldTexts(withFormValues(withoutWrappers(withWordArt(xml)), text), text);
}

const FIELD =
  /<(?:\w+:)?fldChar(?=\s)[^<>]*?fldCharType="(\w+)"|<(?:\w+:)?instrText(?:\s[^<>]*)?>([^<]*)|<(?:\w+:)?t(?:\s[^<>]*)?>[^<]/g;

/** Puts what a field without a result shows before it. */
function withFieldTexts(xml: string, text: (words: string) => string): string {
  if (!/\s(?:SYMBOL|MACROBUTTON|EQ)\s/i.test(xml)) return xml;
  const open: { readonly at: number; code: string; isEmpty: boolean }[] = [];
  const added: XmlReplacement[] = [];
  for (const { 1: type, 2: code, index } of xml.matchAll(FIELD)) {
    const field = open.at(-1);
    if (type === 'begin') open.push({ at: index, code: '', isEmpty: true });
    else if (type === 'end' && field) {
      open.pop();
      if (field.isEmpty) added.push([field.at, field.at, text(fieldText(field.code))]);
    } else if (code !== undefined && field) field.code += code;
    else if (type === undefined && field) field.isEmpty = false;
  }
  const simple = /<((?:\w+:)?)fldSimple(?=\s)[^<>]*\sw:instr="([^"]*)"[^<>]*\/>/g;
  return replaceRanges(xml, added).replace(
    simple,
    (_, prefix: string, code: string) => `<${prefix}r>${text(fieldText(code))}</${prefix}r>`,
  );
}

function fieldText(xml: string): string {
  const code = plainText(xml);
  return escapeXml(signOfField(code) ?? wordsOfField(code) ?? '');
}

/** The XML with the text of WordArt, and the description of a picture, in its place. */
export function withWordArt(xml: string): string {
  if (!/<v:textpath\s|<v:imagedata[\s/]/.test(xml)) return xml;
  return each(xml, `${W}pict`, (content, tag) => {
    const string =
      /<v:textpath(?=\s)[^<>]*\sstring="([^"]*)"/.exec(content)?.[1] ??
      /<v:shape(?=\s)[^<>]*\salt="([^"]+)"/.exec(content)?.[1];
    const [, name = '', prefix = ''] = /^<((\w+:)?pict)/.exec(tag) ?? [];
    if (string === undefined || content.includes('txbxContent')) return `${tag}${content}</${name}>`;
    return `<${prefix}t xml:space="preserve"> ${string} </${prefix}t>`;
  });
}

const W = '(?:\\w+:)?';

/** Takes away the elements around other content; what they contain stays. */
function withoutWrappers(xml: string): string {
  if (!/<(?:\w+:)?(?:sdt|customXml|smartTag)[\s>]/.test(xml)) return xml;
  const bare = each(xml, `${W}(?:sdtPr|sdtEndPr|customXmlPr|smartTagPr)`, () => '');
  return bare.replace(
    /<\/?(?:\w+:)?(?:sdt|sdtContent|sdtPr|sdtEndPr|customXml|customXmlPr|smartTag)(?=[\s/>])[^>]*>/g,
    '',
  );
}

/** anydoc counts each list from its start. In Word, those of one definition go on (ECMA-376-1, 17.9.15), but for own starts. */
export function sharedNumbers(numbering: string): (xml: string) => string {
  const lists = new Map<string | undefined, readonly [definition: string | undefined, isOwn: boolean]>();
  for (const { content, tag } of elements(numbering, `${W}num`)) {
    if (/<(?:\w+:)?lvl[\s>]/.test(content)) continue;
    const isOwn = /<(?:\w+:)?startOverride\s/.test(content);
    lists.set(attribute(tag, `${W}numId`), [valueOf(content, 'abstractNumId'), isOwn]);
  }
  return (xml) => {
    const last = new Map<string, string>();
    return xml.replace(/(<(?:\w+:)?numId\s+\w+:val=")(\d+)/g, (all, start: string, id: string) => {
      const [definition, isOwn] = lists.get(id) ?? [];
      if (definition === undefined) return all;
      if (!last.has(definition) || isOwn) last.set(definition, id);
      return start + last.get(definition);
    });
  };
}

/** Puts the value of a box or a list before its field. */
function withFormValues(xml: string, text: (words: string) => string): string {
  if (!/<(?:\w+:)?ffData[\s>]/.test(xml)) return xml;
  return each(xml, `${W}fldChar`, (content, tag) => {
    const name = /^<([\w:]+)/.exec(tag)?.[1] ?? '';
    return text(formValue(content)) + `${tag}${content}</${name}>`;
  });
}

function formValue(data: string): string {
  const [box] = contents(data, `${W}checkBox`);
  const ticked = box === undefined ? undefined : (valueOf(box, 'checked') ?? valueOf(box, 'default'));
  if (box !== undefined) return ticked !== undefined && isOnValue(ticked) ? '☒' : '☐';
  const [list] = contents(data, `${W}ddList`);
  if (list === undefined) return '';
  const chosen = valueOf(list, 'result') ?? valueOf(list, 'default') ?? '0';
  const entries = [...list.matchAll(/<(?:\w+:)?listEntry(?=\s)[^>]*>/g)];
  return escapeXml(attribute(entries[Number(chosen)]?.[0] ?? '', `${W}val`) ?? '');
}

/** The value of an element: empty if it has none, undefined without the element. */
function valueOf(xml: string, name: string): string | undefined {
  const tag = new RegExp(`<${W}${name}(?=[\\s/>])[^>]*>`).exec(xml)?.[0];
  return tag === undefined ? undefined : (attribute(tag, `${W}val`) ?? '');
}
