/**
 * Owns which files are images: those that begin like one, whatever their names say. What they are answered with is
 * image/open.ts's, loaded when the first one is met.
 */

import type { Source } from '../types/source.ts';
import type { FitOptions } from './image/fit.ts';
import { identifyImage } from './image/identify.ts';

/** `options` bound what is shown and name the decoder; by default 1,568 pixels, 300 KiB and the package's own. */
export function createImageSource(options: FitOptions = {}): Source {
  return {
    kind: 'image',
    claims: ({ opened, head }) => opened.is === 'file' && identifyImage(head) !== undefined,
    async open(subject, call) {
      const { openImage } = await import('./image/open.ts');
      return openImage(subject, call, options);
    },
  };
}

export const imageSource = createImageSource();
