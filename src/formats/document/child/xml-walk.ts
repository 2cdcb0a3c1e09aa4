/** Walks over the elements of XML with their positions, in linear time, and removes parts of it. */

import { Parser } from 'htmlparser2';

/** The deepest nesting of elements; the converter of these documents does not accept more. */
export const MAX_XML_DEPTH = 256;

/** An open element. `T` is the type of the walker's notes about it. */
export interface XmlPlace<T> {
  /** The name with its prefix. */
  readonly name: string;
  readonly start: number;
  readonly parent: XmlPlace<T> | undefined;
  readonly noted: T;
}

export type XmlAttributes = Readonly<Record<string, string>>;

interface XmlVisitor<T> {
  open(name: string, attributes: XmlAttributes, parent: XmlPlace<T> | undefined): T;
  text?(start: number, end: number, parent: XmlPlace<T>): void;
  /** Not called for an element whose end tag is missing. */
  close?(place: XmlPlace<T>, end: number): void;
}

/** Returns false if elements are nested too deep; then the walk stops. */
export function walkXml<T>(xml: string, steps: XmlVisitor<T>): boolean {
  const open: { place: XmlPlace<T>; tagEnd: number }[] = [];
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = open.at(-1)?.place;
        const noted = steps.open(name, attributes, parent);
        open.push({ place: { name, start: parser.startIndex, parent, noted }, tagEnd: parser.endIndex });
        if (open.length <= MAX_XML_DEPTH) return;
        isTooDeep = true;
        parser.pause();
      },
      ontext() {
        const parent = open.at(-1)?.place;
        if (parent) steps.text?.(parser.startIndex, parser.endIndex + 1, parent);
      },
      onclosetag(_name, isImplied) {
        const closed = open.pop();
        // An empty element ends where its tag does.
        if (closed && (!isImplied || parser.endIndex === closed.tagEnd))
          steps.close?.(closed.place, parser.endIndex + 1);
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  if (!isTooDeep) parser.end();
  return !isTooDeep;
}

/** A range, and the text that is there instead. */
export type XmlReplacement = readonly [start: number, end: number, text?: string];

/** A range within another one is gone with it. */
export function replaceRanges(text: string, ranges: readonly XmlReplacement[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const [start, end, instead = ''] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start < from) {
      from = Math.max(from, end);
      continue;
    }
    kept.push(text.slice(from, start), instead);
    from = end;
  }
  return kept.join('') + text.slice(from);
}
