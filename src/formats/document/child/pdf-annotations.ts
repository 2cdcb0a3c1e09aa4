/** What stands on a page of a PDF beside its text: values of form fields, notes, and targets of links. */

import { bareText as bare } from './pdf-layout.ts';

/** The fields of an annotation of pdf.js that are read here. */
export interface PdfAnnotation {
  readonly subtype?: string;
  readonly annotationFlags?: number;
  readonly contentsObj?: { readonly str: string };
  readonly titleObj?: { readonly str: string };
  readonly url?: string;
  readonly unsafeUrl?: string;
  readonly overlaidText?: string;
  readonly fieldType?: string | null;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly exportValue?: string;
  readonly buttonValue?: string | null;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
}

/** The most lines of one page. */
const MAX_PAGE_ANNOTATIONS = 200;

/** Annotations that are not shown: they are hidden, or not to be viewed. Source: ISO 32000, 12.5.3. */
const UNSEEN_FLAGS = 2 | 32;

export interface AnnotationTexts {
  /** What is to be read as text of the page: fields with a value, and texts that were written onto it. */
  readonly texts: readonly string[];
  /** Notes and targets of links. */
  readonly notes: readonly string[];
}

/**
 * A line for each that `text`, the text of the page, does not have. `seen` has the links of earlier pages, and gets those of
 * this one: the link of a running header is listed once.
 */
export function annotationTexts(
  annotations: readonly PdfAnnotation[],
  text: string,
  seen: Set<string>,
): AnnotationTexts {
  const known = bare(text);
  const texts = new Set<string>();
  const notes = new Set<string>();
  const links = new Map<string, string>();
  for (const annotation of annotations) {
    if (((annotation.annotationFlags ?? 0) & UNSEEN_FLAGS) !== 0) continue;
    const { subtype = '' } = annotation;
    const said = line(annotation.contentsObj?.str);
    if (subtype === 'Widget') add(fieldText(annotation));
    else if (subtype === 'FreeText') add({ shown: said, compared: said });
    else if (subtype === 'Link') {
      const target = annotation.url ?? annotation.unsafeUrl ?? '';
      // A link over two lines is two links.
      const before = links.get(target);
      links.set(target, `${before === undefined ? '' : `${before} `}${line(annotation.overlaidText)}`);
    } else if (said !== '' && subtype !== 'Popup') {
      const by = line(annotation.titleObj?.str);
      notes.add(`[comment${by === '' ? '' : ` by ${by}`}: ${said}]`);
    }
  }
  for (const [target, said] of links) {
    const link = linkText(target, said, known);
    if (link !== '' && !seen.has(link)) notes.add(link);
    seen.add(link);
  }
  return { texts: shortened(texts), notes: shortened(notes) };

  function add({ shown, compared }: FieldText): void {
    const said = bare(compared);
    if (shown !== '' && (said.length < MIN_KNOWN_CHARACTERS || !known.includes(said))) texts.add(shown);
  }
}

function shortened(lines: ReadonlySet<string>): string[] {
  const more = lines.size - MAX_PAGE_ANNOTATIONS;
  const shown = [...lines].slice(0, MAX_PAGE_ANNOTATIONS);
  return more > 0 ? [...shown, `(${more} more are not listed)`] : shown;
}

/** A shorter text may be in the text of the page by chance. */
const MIN_KNOWN_CHARACTERS = 4;

interface FieldText {
  readonly shown: string;
  /** What the text of the page may have already. */
  readonly compared: string;
}

const NO_VALUE: FieldText = { shown: '', compared: '' };

/** Shown is `name: value`, or nothing for a field without a value. */
function fieldText(field: PdfAnnotation): FieldText {
  const { fieldName = '', fieldType, fieldValue, options = [] } = field;
  const name = line(fieldName);
  if (field.checkBox || field.radioButton) {
    const on = field.checkBox ? field.exportValue : field.buttonValue;
    if (fieldValue === 'Off' || fieldValue !== on || on === undefined) return NO_VALUE;
    return { shown: `${name}: ${field.checkBox ? '☒' : line(on ?? '')}`, compared: '' };
  }
  if (fieldType === 'Btn') return NO_VALUE;
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
  if (values.length === 0) return NO_VALUE;
  if (field.password) return { shown: `${name}: (a password)`, compared: '' };
  const texts = values.map(
    (value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value,
  );
  const compared = line(texts.join(', '));
  return { shown: `${name}: ${compared}`, compared };
}

/** The target behind its text; empty if the page says the target, or if it is in the document. */
function linkText(target: string, text: string, known: string): string {
  if (!/^(?:https?|mailto|ftp):/i.test(target) || /\s/.test(target)) return '';
  const said = bare(target.replace(/^(?:https?:\/\/|mailto:)/i, ''));
  if (known.includes(said) || bare(text).includes(said)) return '';
  return text === '' ? `<${target}>` : `[${text}](${target})`;
}

const MAX_ANNOTATION_CHARACTERS = 2_000;

/** In one line. */
function line(text = ''): string {
  const one = text.replace(/\s+/g, ' ').trim();
  return one.length > MAX_ANNOTATION_CHARACTERS
    ? `${one.slice(0, MAX_ANNOTATION_CHARACTERS).toWellFormed()}…`
    : one;
}
