/**
 * Rewrites what SheetJS 0.20.3 misreads. Of OpenDocument sheets it takes the text of a shape for that of its cell, reads
 * durations without sign and fractions, modulo 24 hours if they have no format, leaves out values of cells without text and
 * headings, joins superscripts to the text before them, and rejects packages without styles.
 */

import { escapeXml } from '../rewrite.ts';
import { removeRanges, walkXml, type XmlRange } from '../xml-walk.ts';
import { attribute, contents, plainText, type ZipParts } from '../zip-parts.ts';
import { raisedCells, raisedOpen } from './anydoc-raised-text.ts';

/** The content as SheetJS reads it rightly; the same string if nothing had to be changed. `styles` is the part styles.xml. */
export function mendedSheets(stored: string, styles: string): string {
  const xml = raisedOpen(stored, styles).replace(/(<\/?text:)h(?=[\s>])/g, '$1p');
  const formatted = new Set<string>();
  for (const [tag] of xml.matchAll(/<style:style(?=\s)[^>]*\sstyle:data-style-name[^>]*>/g))
    formatted.add(attribute(tag, 'style:name') ?? '');
  let hasDurations = false;
  const mended = withoutShapes(xml).replace(
    /<table:table-cell(?=\s)[^>]*\soffice:value-type=[^>]*>/g,
    (tag) => {
      let made = tag;
      if (attribute(tag, 'office:value-type') === 'time') {
        hasDurations = true;
        made = durationCell(tag, formatted);
      }
      return made.endsWith('/>') ? `${made.slice(0, -2)}></table:table-cell>` : made;
    },
  );
  return hasDurations
    ? mended.replace(/<office:document-content(?=[\s>])[^>]*>/, `$&${ELAPSED_STYLE}`)
    : mended;
}

const ELAPSED = 'oriel-elapsed';

/** The format `[h]:mm:ss`. */
const ELAPSED_STYLE = `<number:time-style style:name="${ELAPSED}" number:truncate-on-overflow="false"><number:hours number:style="short"/><number:text>:</number:text><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long"/></number:time-style><style:style style:name="${ELAPSED}" style:family="table-cell" style:data-style-name="${ELAPSED}"/>`;

const DURATION = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The start tag of the cell with its duration as a number of days; as text if it has months or years. */
function durationCell(tag: string, formatted: ReadonlySet<string>): string {
  const value = attribute(tag, 'office:time-value') ?? '';
  const [whole, sign, ...units] = DURATION.exec(value) ?? [];
  const plain = tag.replace(/\soffice:(?:value-type|time-value)\s*=\s*(?:"[^"]*"|'[^']*')/g, '');
  if (whole === undefined)
    return plain.replace(
      /^<[\w:-]+/,
      `$& office:value-type="string" office:string-value="${escapeXml(value)}"`,
    );
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = units.map((unit) => Number(unit ?? 0));
  const total = (days * 24 + hours) / 24 + (minutes * 60 + seconds) / 86_400;
  const isFormatted = formatted.has(attribute(tag, 'table:style-name') ?? '');
  const style = isFormatted ? plain : plain.replace(/\stable:style-name\s*=\s*(?:"[^"]*"|'[^']*')/, '');
  const added = isFormatted ? '' : ` table:style-name="${ELAPSED}"`;
  return style.replace(/^<[\w:-]+/, `$& office:value-type="float" office:value="${sign}${total}"${added}`);
}

/** Shapes, frames and charts; comments are not among them. */
const SHAPE = /^(?:draw:|dr3d:|table:shapes$)/;

function withoutShapes(xml: string): string {
  const cuts: XmlRange[] = [];
  const isWhole = walkShapes(xml, (start, end) => cuts.push([start, end]));
  return isWhole && cuts.length > 0 ? removeRanges(xml, cuts) : xml;
}

/** Calls `found` with the range of each shape that is not in another one; returns false if elements are nested too deep. */
function walkShapes(xml: string, found: (start: number, end: number) => void): boolean {
  if (!/<(?:draw|dr3d):/.test(xml)) return true;
  const from = Math.max(0, xml.indexOf('<office:body'));
  return walkXml<boolean>(xml.slice(from), {
    open: (name, _, parent) => parent?.noted === true || SHAPE.test(name),
    close({ noted, start, parent }, end) {
      if (noted && parent?.noted !== true) found(from + start, from + end);
    },
  });
}

/** The kinds and texts of shapes, charts and pictures, in their order. */
export function openDrawings(parts: ZipParts, xml: string): { kind: string; text: string }[] {
  const drawings: { kind: string; text: string }[] = [];
  walkShapes(xml, (start, end) => {
    const shape = xml.slice(start, end);
    for (const [tag] of shape.matchAll(/<draw:object(?=\s)[^>]*>/g)) {
      const name = attribute(tag, 'xlink:href')?.replace(/^\.\//, '') ?? '';
      const content = parts.text(`${name}/content.xml`) ?? '';
      const titles = contents(content, 'chart:(?:title|subtitle)').map(plainText);
      if (content.includes('<office:chart')) drawings.push({ kind: 'chart', text: titles.join(' ') });
    }
    const text = plainText(contents(shape, 'text:p').join(' '));
    if (text !== '') drawings.push({ kind: 'shape', text });
    const described = plainText(contents(shape, 'svg:(?:title|desc)').join(' '));
    if (described !== '') drawings.push({ kind: 'picture', text: described });
  });
  return drawings;
}

// Of shared strings: an empty one (`<si/>`) moves all others, superscripts are
// joined to the text before them, and one reference to a missing string empties the whole sheet.

const STRINGS = /^xl\/sharedStrings\.xml$/i;
const IS_SHARED = /\st="s"/;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;

/** The parts that have to be changed. `read` returns the content of a part. */
export function mendedStrings(
  names: readonly string[],
  read: (name: string) => Buffer | undefined,
): ReadonlyMap<string, Buffer> {
  const name = names.find((one) => STRINGS.test(one));
  if (name === undefined) {
    // The strings are in the cells.
    const raised = names.flatMap((one) => {
      const sheet = SHEET.test(one) ? read(one) : undefined;
      return sheet?.includes('vertAlign')
        ? [[one, Buffer.from(raisedCells(sheet.toString('utf8')))] as const]
        : [];
    });
    return new Map(raised);
  }
  const content = read(name);
  if (!content || !(content.includes('vertAlign') || /<(?:\w+:)?si\s*\/>/.test(content.toString('latin1'))))
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
