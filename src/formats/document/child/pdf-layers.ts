/** Leaves out what a viewer does not show: text of layers that are switched off, and copies that make text look bold. */

import type { TextItem } from './pdf-layout.ts';

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

/** The texts of a page that are shown, and a sentence about others. */
export async function shownItems(
  page: PdfPage,
  items: readonly PageItem[],
  { settings, operators }: PdfLayers,
): Promise<{ readonly items: readonly TextItem[]; readonly note?: string }> {
  const texts = items.filter(({ type }) => type === undefined);
  const marks = items.filter(isLayerMark).length;
  if (marks === 0) return { items: texts };
  const shown = await layersOf(page, settings, operators);
  if (shown?.length !== marks)
    return { items: texts, note: '(text of layers that are switched off may be among this text)' };
  const open: boolean[] = [];
  let [next, hidden] = [0, 0];
  const kept = items.filter((item) => {
    if (isLayerMark(item)) open.push(shown[next++] as boolean);
    else if (item.type === 'endMarkedContent') open.pop();
    else if (item.type !== undefined) open.push(true);
    else if (open.includes(false)) hidden += item.str.trim() === '' ? 0 : 1;
    else return true;
    return false;
  });
  return hidden === 0
    ? { items: kept }
    : { items: kept, note: '(text of layers that are switched off is left out)' };
}

const isLayerMark = ({ type, tag }: PageItem): boolean => type === 'beginMarkedContentProps' && tag === 'OC';

/** For each start of a layer in the content of a page, whether it is shown; undefined if that takes too long. */
async function layersOf(
  page: PdfPage,
  settings: LayerSettings,
  { beginMarkedContentProps, paintFormXObjectBegin, beginGroup }: OperatorNumbers,
): Promise<boolean[] | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, MAX_LAYERS_MS, undefined)));
  const list = await Promise.race([page.getOperatorList(), late]).catch(() => undefined);
  clearTimeout(timer);
  return list?.fnArray.flatMap((operator, i): boolean[] => {
    const [tag, layer] = (list.argsArray[i] ?? []) as [unknown, unknown];
    if (operator !== beginMarkedContentProps || tag !== 'OC') return [];
    // A form that belongs to a layer as a whole is not marked in the text.
    const next = list.fnArray[i + 1];
    if (next === paintFormXObjectBegin || next === beginGroup) return [];
    return [layer ? settings.isVisible(layer) : true];
  });
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
