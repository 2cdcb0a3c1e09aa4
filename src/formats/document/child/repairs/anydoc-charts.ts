/**
 * anydoc 0.1.9 shows no chart without categories, no scatter chart, for all series the categories of the first one, and the
 * upper levels of categories as further ones. Before the conversion every series gets the same categories in one level: its own,
 * or numbers beside which its own are a series as well.
 */

import { attribute, contents, each, elements, plainText } from '../zip-parts.ts';

// Blank points are written out too, and dates, which are numbers of days, as dates.

/** The most points of a series whose blanks are written out, or that are numbered. */
const MAX_CHART_POINTS = 10_000;

/** The XML of a chart with a point for each index; `blank` is the text of those that were added. */
export function withChartGaps(xml: string, blank = ''): string {
  const first1904 = /<(?:\w+:)?date1904(?:\s*\/>|\s+val="(?:1|true)")/.test(xml) ? 1_462 : 0;
  return each(xml, '(?:\\w+:)?(?:numCache|strCache|numLit|strLit)', (stored, tag) => {
    const format = plainText(/<(?:\w+:)?formatCode>([^<]*)</.exec(stored)?.[1] ?? '');
    const content = IS_DATE.test(format.replace(/\[[^\]]*\]|"[^"]*"/g, ''))
      ? stored.replace(
          /(<(?:\w+:)?v>)(\d[^<]*)/g,
          (_, open: string, days: string) => open + dayOf(Number(days) + first1904),
        )
      : stored;
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

/** A format of dates: with a year or a day, not one of durations. */
const IS_DATE = /^(?=.*[yd])[ymdhs\s\-/.,:;@\\]+(?:am\/pm)?$/i;

/** Days since 1899-12-30 as a date, with its time if it has one. */
function dayOf(days: number): string {
  const date = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000);
  return Number.isNaN(date.getTime())
    ? String(days)
    : date
        .toISOString()
        .replace(/T00:00.*|:\d\d\.000Z$/, '')
        .replace('T', ' ');
}

const C = '(?:\\w+:)?';

/** The most characters of the categories of all series, and those of one numbered point. A larger chart stays as it is. */
const MAX_ADDED_LENGTH = 16 << 20;
const POINT_LENGTH = 60;

/** The XML of a chart, with its blank points and shared categories. */
export const mendedChart = (xml: string): string => withSharedCategories(withChartGaps(xml));

function withSharedCategories(xml: string): string {
  const renamed = withOneLevel(xml).replace(
    /(<\/?(?:\w+:)?)([xy])Val(?=[\s>])/g,
    (_, start: string, axis: string) => (axis === 'x' ? `${start}cat` : `${start}val`),
  );
  const series = contents(renamed, `${C}ser`).map((one) => ({
    scale: contents(one, `${C}cat`)[0],
    count: contents(contents(one, `${C}val`).join(''), `${C}v`).length,
  }));
  const scales = series.flatMap(({ scale }) => scale ?? []);
  const labels = new Set(scales.map((scale) => contents(scale, `${C}v`).join('\n')));
  const hasSizes = new RegExp(`<${C}bubbleSize>`).test(renamed);
  if (labels.size === 1 && scales.length === series.length && !hasSizes) return renamed;
  const [shared] = labels.size === 1 ? scales : [];
  const longest = series.reduce((most, { count }) => Math.max(most, count), 0);
  const most = Math.min(MAX_CHART_POINTS, longest);
  if ((shared?.length ?? POINT_LENGTH * most) * series.length > MAX_ADDED_LENGTH) return renamed;
  return each(renamed, `${C}ser`, (content, tag) => {
    const c = /^<((?:\w+:)?)/.exec(tag)?.[1] ?? '';
    const points = (texts: readonly (string | number)[]): string =>
      texts.map((text, i) => `<${c}pt idx="${i}"><${c}v>${text}</${c}v></${c}pt>`).join('');
    const strings = (texts: readonly (string | number)[]): string =>
      `<${c}strRef><${c}strCache>${points(texts)}</${c}strCache></${c}strRef>`;
    const numbers = (): string => strings(Array.from({ length: most }, (_, i) => i + 1));
    const cat = `<${c}cat>${shared ?? numbers()}</${c}cat>`;
    const of = (name: string): string | undefined => contents(content, `${C}${name}`)[0];
    const [name = ''] = contents(of('tx') ?? '', `${C}v`);
    const beside = (axis: string, values: string | undefined): string =>
      values === undefined
        ? ''
        : `${tag}<${c}tx>${strings([`${name} ${axis}`.trim()])}</${c}tx>${cat}<${c}val>${values}</${c}val></${c}ser>`;
    // Error bars have an empty element of this name.
    const own = each(content, `${C}cat`, () => '').replace(new RegExp(`(?=<${C}val\\b[^>/]*>)`), () => cat);
    return `${beside('x', shared === undefined ? of('cat') : undefined)}${tag}${own}</${c}ser>${beside('size', of('bubbleSize'))}`;
  });
}

/** Categories in levels as one: `2001 Q1`. A point of an upper level is for all up to the next one. */
function withOneLevel(xml: string): string {
  return each(xml, `${C}multiLvlStrRef`, (content, tag) => {
    const c = /^<((?:\w+:)?)/.exec(tag)?.[1] ?? '';
    const levels = contents(content, `${C}lvl`).map((level) => {
      return elements(level, `${C}pt`).map(
        (point) => [Number(attribute(point.tag, 'idx')), contents(point.content, `${C}v`)[0] ?? ''] as const,
      );
    });
    const [lowest = [], ...upper] = levels;
    const points = lowest.map(([at, text]) => {
      const above = upper.map((level) => level.findLast(([first]) => first <= at)?.[1] ?? '');
      return `<${c}pt idx="${at}"><${c}v>${[...above.reverse(), text].join(' ').trim()}</${c}v></${c}pt>`;
    });
    return `<${c}strRef><${c}strCache>${points.join('')}</${c}strCache></${c}strRef>`;
  });
}
