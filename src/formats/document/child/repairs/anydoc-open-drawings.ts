/**
 * anydoc 0.1.9 leaves out the objects of an .odt or .odp, equations among them, what lies in a link or beside the paragraphs, and
 * some kinds of shapes, and joins the paragraphs of a shape with each other and with the text around it.
 */

import type { UnshownFacts } from '../../protocol.ts';
import { mathmlText } from './anydoc-equations.ts';
import { replaceRanges, walkXml, type XmlReplacement } from '../xml-walk.ts';
import { attribute, escapeXml, type ZipParts } from '../zip-parts.ts';

interface DrawnNote {
  readonly kind: 'frame' | 'shape' | 'object' | 'other';
  /** The text of an equation in a frame. */
  equation?: string | undefined;
}

/** Shapes with text; a frame with a text box is shown apart from the text around it. */
const SHAPE = /^draw:(?:custom-shape|rect|ellipse|line|polygon|path|connector|caption)$/;

/** Shapes that are read as one that is known, and elements of which only the content is. */
const UNKNOWN_SHAPES = /(<\/?draw:)(?:circle|polyline|regular-polygon|measure)(?=[\s/>])/g;
const WRAPPERS = /<\/?(?:draw:a|text:numbered-paragraph)(?=[\s>])[^<>]*>/g;

/** Elements in which a drawing has no paragraph. */
const BODIES: ReadonlySet<string> = new Set(['office:text', 'text:section']);

/** `written` makes XML of the text of an equation. */
export function shownDrawings(
  stored: string,
  parts: ZipParts,
  written: (text: string) => string = escapeXml,
): { xml: string; unshown: readonly UnshownFacts[] } {
  const xml = stored.replace(UNKNOWN_SHAPES, '$1custom-shape').replace(WRAPPERS, '');
  if (!xml.includes('<draw:')) return { xml, unshown: [] };
  const changes: XmlReplacement[] = [];
  const unshown: UnshownFacts[] = [];
  const isWhole = walkXml<DrawnNote>(xml, {
    open(name) {
      if (name === 'draw:frame') return { kind: 'frame' };
      if (SHAPE.test(name)) return { kind: 'shape' };
      const isObject = name === 'draw:object' || name === 'draw:object-ole';
      return { kind: isObject ? 'object' : 'other' };
    },
    close({ name, noted, start, parent }, end) {
      if (name === 'draw:control') unshown.push({ what: 'form control', count: 1 });
      const isBare = name.startsWith('draw:') && BODIES.has(parent?.name ?? '');
      if (isBare) changes.push([start, start, '<text:p>'], [end, end, '</text:p>']);
      if (noted.kind === 'object') {
        const { equation, what } = objectOf(xml.slice(start, end), parts);
        if (equation === undefined) unshown.push({ what, count: 1 });
        else if (parent?.noted.kind === 'frame') parent.noted.equation = equation;
      }
      if (noted.equation !== undefined) changes.push([start, end, written(noted.equation)]);
      const isParagraph = name === 'text:p' || name === 'text:h';
      if (isParagraph && parent?.noted.kind === 'shape') changes.push([end, end, ' ']);
      if (noted.kind === 'shape' && xml.slice(start, end).includes('<text:'))
        changes.push([start, start, ' ']);
    },
  });
  return isWhole ? { xml: replaceRanges(xml, changes), unshown } : { xml, unshown: [] };
}

/** An embedded object: an equation, or what it is. Its content is inside, or a part of its own. */
function objectOf(object: string, parts: ZipParts): { equation?: string | undefined; what: string } {
  const name = attribute(/^<[^>]*>/.exec(object)?.[0] ?? '', 'xlink:href')?.replace(/^\.\//, '') ?? '';
  const content = /<(?:\w+:)?math[\s>]/.test(object) ? object : (parts.text(`${name}/content.xml`) ?? '');
  if (content.includes('<office:chart')) return { what: 'chart' };
  const start = /<((?:\w+:)?math)(?=[\s>])/.exec(content);
  const end = start ? content.lastIndexOf(`</${start[1]}>`) : -1;
  return start && end > start.index
    ? { equation: mathmlText(content.slice(start.index, end)), what: 'equation' }
    : { what: 'embedded object' };
}
