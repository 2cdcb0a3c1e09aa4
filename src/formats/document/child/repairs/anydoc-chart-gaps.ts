/**
 * anydoc 0.1.9 lists the points of a chart one after the other, so that the values behind a blank one move to other categories.
 * The blank points are written out before the conversion.
 */

import { attribute, each } from '../zip-parts.ts';

/** The most points of a series whose blanks are written out. */
const MAX_CHART_POINTS = 10_000;

/** The XML of a chart with a point for each index; `blank` is the text of those that were added. */
export function withChartGaps(xml: string, blank = ''): string {
  return each(xml, '(?:\\w+:)?(?:numCache|strCache|numLit|strLit)', (content, tag) => {
    const name = /^<([\w:]+)/.exec(tag)?.[1] ?? '';
    const prefix = name.includes(':') ? name.slice(0, name.indexOf(':') + 1) : '';
    const points = [
      ...content.matchAll(new RegExp(`<${prefix}pt(?=\\s)[^>]*?(?:/>|>[^]*?</${prefix}pt>)`, 'g')),
    ];
    const by = new Map(points.map(([point]) => [Number(attribute(point, 'idx') ?? Number.NaN), point]));
    const last = Math.max(-1, ...by.keys());
    const isWhole = by.size === points.length && last + 1 === points.length;
    if (isWhole || !Number.isInteger(last) || last >= MAX_CHART_POINTS) return `${tag}${content}</${name}>`;
    const added = Array.from(
      { length: last + 1 },
      (_, i) => by.get(i) ?? `<${prefix}pt idx="${i}"><${prefix}v>${blank}</${prefix}v></${prefix}pt>`,
    );
    const first = points[0]?.index ?? 0;
    return `${tag}${content.slice(0, first)}${added.join('')}</${name}>`;
  });
}
