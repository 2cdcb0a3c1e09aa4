/**
 * Rewrites shared strings of workbooks that SheetJS 0.20.3 misreads: an empty one (`<si/>`) moves all others, superscripts are
 * joined to the text before them, and one reference to a missing string empties the whole sheet.
 */

import { raisedCells } from './anydoc-raised-text.ts';

const STRINGS = /^xl\/sharedStrings\.xml$/i;
const IS_SHARED = /\st="s"/;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;

/** The changed part, if it has to be changed. `read` returns the content of a part. */
export function mendedStrings(
  names: readonly string[],
  read: (name: string) => Buffer | undefined,
): ReadonlyMap<string, Buffer> {
  const name = names.find((one) => STRINGS.test(one));
  const content = name === undefined ? undefined : read(name);
  if (
    !name ||
    !content ||
    !(content.includes('vertAlign') || /<(?:\w+:)?si\s*\/>/.test(content.toString('latin1')))
  )
    return new Map();
  const filled = content
    .toString('utf8')
    .replace(
      /<((?:\w+:)?)si\s*\/>/g,
      (_, prefix: string) => `<${prefix}si><${prefix}t></${prefix}t></${prefix}si>`,
    );
  return new Map([[name, Buffer.from(raisedCells(filled))]]);
}

/** The sheets with a text instead of each reference to a shared string that does not exist. */
export function soundReferences(
  names: readonly string[],
  read: (name: string) => Buffer | undefined,
): ReadonlyMap<string, Buffer> {
  const stored = names.find((one) => STRINGS.test(one));
  const strings = (stored === undefined ? undefined : read(stored))?.toString('latin1') ?? '';
  const count = strings.match(/<(?:\w+:)?si[\s/>]/g)?.length ?? 0;
  const changed = new Map<string, Buffer>();
  for (const name of names.filter((one) => SHEET.test(one))) {
    const xml = read(name)?.toString('utf8') ?? '';
    const mended = xml.replace(
      /<((?:\w+:)?)c(\s[^<>]*)>\s*<\1v>([^<]*)<\/\1v>/g,
      (cell, prefix: string, attributes: string, value: string) => {
        const index = value.trim();
        const isSound = /^\d+$/.test(index) && Number(index) < count;
        return isSound || !IS_SHARED.test(attributes)
          ? cell
          : `<${prefix}c${attributes.replace(IS_SHARED, ' t="inlineStr"')}><${prefix}is><${prefix}t>(damaged: shared text ${index} is missing)</${prefix}t></${prefix}is>`;
      },
    );
    if (mended !== xml) changed.set(name, Buffer.from(mended));
  }
  return changed;
}
