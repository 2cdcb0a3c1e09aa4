/** Walks over the elements of XML with their positions, in linear time. */

import { Parser } from 'htmlparser2';

/** The deepest nesting of elements; the converter of these documents does not accept more. */
const MOST_DEEP = 256;

/** An open element. `T` is the type of the walker's notes about it. */
export interface Place<T> {
  /** The name with its prefix. */
  readonly name: string;
  readonly start: number;
  readonly parent: Place<T> | undefined;
  readonly noted: T;
}

export type Attributes = Readonly<Record<string, string>>;

export interface Steps<T> {
  open(name: string, attributes: Attributes, parent: Place<T> | undefined): T;
  text?(start: number, end: number, parent: Place<T>): void;
  /** Not called for an element whose end tag is missing. */
  close?(place: Place<T>, end: number): void;
}

/** Returns false if elements are nested too deep; then the walk stops. */
export function walk<T>(xml: string, steps: Steps<T>): boolean {
  const open: { place: Place<T>; tagEnd: number }[] = [];
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = open.at(-1)?.place;
        const noted = steps.open(name, attributes, parent);
        open.push({ place: { name, start: parser.startIndex, parent, noted }, tagEnd: parser.endIndex });
        if (open.length <= MOST_DEEP) return;
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

export type Range = readonly [start: number, end: number];

/** The text without these ranges, which may be nested. */
export function without(text: string, ranges: readonly Range[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start > from) kept.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return kept.join('') + text.slice(from);
}
