import { expect, test } from 'vitest';
import {
  describeImage,
  describeShown,
  describeSvg,
  imageFacts,
  shownFacts,
} from '../../../src/formats/image/open.ts';

test.each([
  [
    imageFacts('png', 1_432, { width: 30, height: 20, channels: 3, alpha: false }),
    'image/png, 1432 bytes, 30x20 pixels, 3 channels, no alpha',
  ],
  [imageFacts('gif', undefined, { width: 1, height: 1 }), 'image/gif, 1x1 pixels'],
  [
    imageFacts('jpeg', 9, { width: 2, height: 3, channels: 1, alpha: true, orientation: 6 }),
    'image/jpeg, 9 bytes, 2x3 pixels, 1 channel, alpha, EXIF orientation 6 (sizes are upright)',
  ],
  [
    imageFacts('tiff', 9, { width: 2, height: 3, orientation: 1, frames: 4 }),
    'image/tiff, 9 bytes, 2x3 pixels, 4 pages (the first is shown)',
  ],
  [
    imageFacts('gif', 9, { width: 2, height: 3, frames: 2 }),
    'image/gif, 9 bytes, 2x3 pixels, 2 frames (the first is shown)',
  ],
  [imageFacts('gif', 9, { width: 2, height: 3, frames: 1 }), 'image/gif, 9 bytes, 2x3 pixels'],
])('a stored image, case %#', (facts, words) => {
  expect(describeImage(facts)).toBe(words);
});

test('a drawing has a size only if it states one', () => {
  const mimeType = 'image/svg+xml';
  expect(describeSvg({ mimeType, bytes: 258, width: 300, height: 200 })).toBe(
    'image/svg+xml, 258 bytes, 300x200 pixels',
  );
  expect(describeSvg({ mimeType, width: 300 })).toBe('image/svg+xml, no stated size');
});

test('a shown copy states the scale of its pixels', () => {
  const data = Buffer.alloc(146);
  const from = { width: 3_000, height: 2_000 };
  const small = shownFacts({ mimeType: 'image/jpeg', data, width: 1_568, height: 1_045, from });
  expect(describeShown(small)).toBe(
    'Shown at 1568x1045 pixels (scale 0.52267; multiply positions by 1.9133), image/jpeg, 146 bytes',
  );
  const whole = shownFacts({ mimeType: 'image/png', data, width: 3_000, height: 2_000, from });
  expect(describeShown(whole)).toBe('Shown at 3000x2000 pixels (full size), image/png, 146 bytes');
});
