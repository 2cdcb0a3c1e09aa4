/**
 * What the layers of a PDF change about its text: those switched off and copies that look bold are left out, form fields,
 * notes and targets of links are added.
 */

import type { UnshownFacts } from '../protocol.ts';
import { bareText as bare, type TextItem } from './pdf-layout.ts';

type Pdfjs = typeof import('unpdf');
type PdfDocument = Awaited<ReturnType<Pdfjs['getDocumentProxy']>>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;
type LayerSettings = Awaited<ReturnType<PdfDocument['getOptionalContentConfig']>>;

/** The numbers of operators of pdf.js. */
type OperatorNumbers = Awaited<ReturnType<Pdfjs['getResolvedPDFJS']>>['OPS'];

export interface PdfLayers {
  readonly settings: LayerSettings;
  readonly operators: OperatorNumbers;
}

/** The layers of a document; undefined if none is switched off. */
export async function hiddenLayers(
  document: PdfDocument,
  { getResolvedPDFJS }: Pdfjs,
): Promise<PdfLayers | undefined> {
  const settings = await document.getOptionalContentConfig().catch(() => undefined);
  const groups = settings ? [...(settings as unknown as Iterable<[string, { visible: boolean }]>)] : [];
  if (!settings || groups.every(([, { visible }]) => visible)) return undefined;
  return { settings, operators: (await getResolvedPDFJS()).OPS };
}

/** A piece of text, or the start or end of marked content. */
export type PageItem = TextItem & { readonly type?: string; readonly tag?: string };

/** The most milliseconds in which the layers of a page are told apart: all of its drawing has to be read. */
const MAX_LAYERS_MS = 2_000;

export interface ShownItems {
  readonly items: readonly TextItem[];
  /** The identifiers of annotations that are not shown. */
  readonly unseen?: ReadonlySet<unknown> | undefined;
  readonly note?: string;
}

/** The texts of a page that are shown, and a sentence about others. */
export async function shownItems(
  page: PdfPage,
  items: readonly PageItem[],
  { settings, operators }: PdfLayers,
): Promise<ShownItems> {
  const texts = items.filter(({ type }) => type === undefined);
  const marks = items.filter(isLayerMark).length;
  const { shown, forms, unseen } = (await layersOf(page, settings, operators)) ?? {};
  if (!forms || shown?.length !== marks) return { items: texts, unseen, note: MAY_BE_OFF };
  const open: boolean[] = [];
  let [next, hidden] = [0, unseen?.size ?? 0];
  const kept = items.filter((item) => {
    if (isLayerMark(item)) open.push(shown[next++] as boolean);
    else if (item.type === 'endMarkedContent') open.pop();
    else if (item.type !== undefined) open.push(true);
    else if (open.includes(false)) hidden += item.str.trim() === '' ? 0 : 1;
    else return true;
    return false;
  });
  for (const form of forms) {
    const [at, count] = placeOf(kept, form);
    if (count === 0) return { items: kept, unseen, note: MAY_BE_OFF };
    kept.splice(at, count);
    hidden += 1;
  }
  return hidden === 0
    ? { items: kept }
    : { items: kept, unseen, note: '(text of layers that are switched off is left out)' };
}

const MAY_BE_OFF = '(text of layers that are switched off may be among this text)';

/** The first pieces that are this text, which has no spaces. */
function placeOf(items: readonly TextItem[], text: string): [at: number, count: number] {
  for (const at of items.keys()) {
    let said = '';
    for (let end = at; end < items.length && text.startsWith(said); end += 1) {
      said += items[end]?.str.replace(/\s+/g, '') ?? '';
      if (said === text) return [at, end + 1 - at];
    }
  }
  return [0, 0];
}

const isLayerMark = ({ type, tag }: PageItem): boolean => type === 'beginMarkedContentProps' && tag === 'OC';

interface PageLayers {
  /** For each start of a layer in the content of a page, whether it is shown. */
  readonly shown: readonly boolean[];
  /** The texts of forms that belong to a layer as a whole, and are not shown. */
  readonly forms: readonly string[];
  readonly unseen: ReadonlySet<unknown>;
}

/** Undefined if it takes too long. */
async function layersOf(
  page: PdfPage,
  settings: LayerSettings,
  { beginMarkedContentProps, beginMarkedContent, endMarkedContent, ...operators }: OperatorNumbers,
): Promise<PageLayers | undefined> {
  const { paintFormXObjectBegin, beginGroup, beginAnnotation, showText } = operators;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, MAX_LAYERS_MS, undefined)));
  const list = await Promise.race([page.getOperatorList(), late]).catch(() => undefined);
  clearTimeout(timer);
  if (!list) return undefined;
  const [shown, forms, unseen]: [boolean[], string[], Set<unknown>] = [[], [], new Set()];
  let [depth, form] = [0, ''];
  for (const [i, operator] of list.fnArray.entries()) {
    const [tag, layer] = (list.argsArray[i] ?? []) as [unknown, unknown];
    const isStart = operator === beginMarkedContentProps;
    if (depth > 0) {
      if (isStart || operator === beginMarkedContent) depth += 1;
      if (operator === endMarkedContent) depth -= 1;
      if (operator === showText && Array.isArray(tag))
        form += tag.map((glyph: { unicode?: string } | null) => glyph?.unicode ?? '').join('');
      if (depth === 0 && form.trim() !== '') forms.push(form.replace(/\s+/g, ''));
    }
    if (!isStart || tag !== 'OC') continue;
    const isVisible = layer ? settings.isVisible(layer) : true;
    // A form that belongs to a layer as a whole is not marked in the text.
    const next = list.fnArray[i + 1];
    if (next === beginAnnotation) {
      if (!isVisible) unseen.add(list.argsArray[i + 1]?.[0]);
    } else if (next !== paintFormXObjectBegin && next !== beginGroup) shown.push(isVisible);
    else if (!isVisible && depth === 0) [depth, form] = [1, ''];
  }
  return { shown, forms, unseen };
}

/** The largest distance of a copy that makes text look bold, or casts its shadow, as a share of the text height. */
const MAX_COPY_DISTANCE = 0.12;

const AROUND = [-1, 0, 1] as const;

interface CopiedTexts {
  readonly items: readonly TextItem[];
  /** The texts of the pieces that were left out. */
  readonly copies: ReadonlySet<string>;
}

/** The pieces without copies. */
export function withoutCopies(items: readonly TextItem[]): CopiedTexts {
  // In squares as wide as the distance, of which each has room for one.
  const places = new Map<string, readonly [x: number, y: number]>();
  const copies = new Set<string>();
  const kept = items.flatMap((item) => {
    const { str, transform, height } = item;
    if (str === undefined || str.trim() === '') return [item];
    const [, , , , x = 0, y = 0] = transform;
    const near = MAX_COPY_DISTANCE * Math.max(height, 1);
    const square = (right: number, up: number): string =>
      `${Math.floor(x / near) + right} ${Math.floor(y / near) + up} ${height} ${str}`;
    const isCopy = AROUND.some((right) =>
      AROUND.some((up) => {
        const [left = Number.NaN, base = Number.NaN] = places.get(square(right, up)) ?? [];
        return Math.abs(left - x) <= near && Math.abs(base - y) <= near;
      }),
    );
    if (isCopy) {
      copies.add(str.trim());
      return item.hasEOL ? [{ ...item, str: '' }] : [];
    }
    places.set(square(0, 0), [x, y]);
    return [item];
  });
  return { items: kept, copies };
}

// What stands on a page of a PDF beside its text: values of form fields, notes, and targets of links.

/** The fields of an annotation of pdf.js that are read here. */
export interface PdfAnnotation {
  readonly id?: string;
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
  readonly pushButton?: boolean;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
}

const isSeen = ({ annotationFlags = 0 }: PdfAnnotation): boolean => (annotationFlags & UNSEEN_FLAGS) === 0;

/** What is drawn by annotations whose text is not read. */
export function unshownAnnotations(annotations: readonly PdfAnnotation[]): UnshownFacts[] {
  const seen = annotations.filter(isSeen);
  return [
    { what: 'signature', count: seen.filter(({ fieldType }) => fieldType === 'Sig').length },
    { what: 'form button', count: seen.filter(({ pushButton }) => pushButton === true).length },
    { what: 'attached file', count: seen.filter(({ subtype }) => subtype === 'FileAttachment').length },
  ].filter(({ count }) => count > 0);
}

/** The text without what the structured reading adds to it for fields, anywhere in a line: `name: value`. `plain` has none. */
export function withoutFields(text: string, annotations: readonly PdfAnnotation[], plain: string): string {
  const added = new Map<string, Set<string>>();
  for (const { fieldName = '', fieldValue } of annotations) {
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue;
    if (fieldName === '' || typeof value !== 'string' || value.trim() === '') continue;
    for (const name of [fieldName, fieldName.slice(fieldName.lastIndexOf('.') + 1)]) {
      const said = `${name}: ${value}`.trim();
      const [word = ''] = said.split(/\s/, 1);
      added.set(word, (added.get(word) ?? new Set()).add(said));
    }
  }
  if (added.size === 0) return text;
  const drawn = bare(plain);
  const kept: string[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const known = index < from ? undefined : added.get(word);
    for (const said of known ?? []) {
      const end = index + said.length;
      if (!text.startsWith(said, index) || /\S/.test(text[end] ?? ' ') || drawn.includes(bare(said)))
        continue;
      const isStart = (text[index - 1] ?? '\n') === '\n' && (text[end] ?? '\n') !== '\n';
      const before = text.slice(from, index);
      kept.push(isStart ? before : before.trimEnd());
      from = isStart ? end + 1 : end;
      known?.delete(said);
      break;
    }
  }
  return [...kept, text.slice(from)].join('').trim();
}

/** The most lines of notes and of fields of one page. */
const [MAX_PAGE_NOTES, MAX_PAGE_FIELDS] = [200, 2_000];

/** Annotations that are not shown: they are hidden, or not to be viewed. Source: ISO 32000, 12.5.3. */
const UNSEEN_FLAGS = 2 | 32;

interface AnnotationTexts {
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
    if (!isSeen(annotation)) continue;
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
  return { texts: shortened(texts, MAX_PAGE_FIELDS), notes: shortened(notes, MAX_PAGE_NOTES) };

  function add({ shown, compared }: FieldText): void {
    const said = bare(compared);
    if (shown !== '' && (said.length < MIN_KNOWN_CHARACTERS || !known.includes(said))) texts.add(shown);
  }
}

function shortened(lines: ReadonlySet<string>, most: number): string[] {
  const more = lines.size - most;
  const shown = [...lines].slice(0, most);
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
