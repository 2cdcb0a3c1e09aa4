/** The source of images, detected by their first bytes. The implementation is imported with the first image. */

import type { Source } from '../types/source.ts';
import { identifyImage } from './image/identify.ts';
import type { ImageOptions } from './image/read-raster.ts';

/** `options` set the limits of the shown copy and the decoder; by default 1,568 pixels, 300 KiB and the package's own. */
export function createImageSource(options: ImageOptions = {}): Source {
  return {
    kind: 'image',
    claims: ({ opened, head }) => opened.is === 'file' && identifyImage(head) !== undefined,
    async open(subject, call) {
      const { openImage } = await import('./image/open-image.ts');
      return openImage(subject, call, options);
    },
  };
}

export const imageSource = createImageSource();
