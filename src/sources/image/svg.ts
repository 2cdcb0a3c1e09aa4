/** Owns the size of an SVG drawing, as its root element states it. */

export interface SvgSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels of one unit, by CSS. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
};

/**
 * Width and height in whole CSS pixels from the attributes of the root in `head` (the first bytes of the file), else from
 * its `viewBox`; undefined where neither says.
 */
export function svgSize(head: Uint8Array): SvgSize | undefined {
  const root = /<(?:\w+:)?svg\s([^>]*)/.exec(Buffer.from(head).toString('utf8'))?.[1] ?? '';
  const [, , boxWidth, boxHeight] = (attribute(root, 'viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const width = pixels(attribute(root, 'width'));
  const height = pixels(attribute(root, 'height'));
  if (width && height) return whole(width, height);
  if (!boxWidth || !boxHeight) return undefined;
  // One side alone scales the view box; percentages and no sides leave it as it is.
  if (width) return whole(width, (width * boxHeight) / boxWidth);
  return height ? whole((height * boxWidth) / boxHeight, height) : whole(boxWidth, boxHeight);
}

const whole = (width: number, height: number) => ({ width: Math.round(width), height: Math.round(height) });

function attribute(root: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(root);
  return match?.[1] ?? match?.[2];
}

function pixels(value: string | undefined): number | undefined {
  const [, number, unit = ''] = /^\s*(\d+(?:\.\d+)?)([a-z]*)\s*$/.exec(value ?? '') ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}
