/**
 * Owns which files are Jupyter notebooks: those called `.ipynb`. What they are answered with is notebook/open.ts's,
 * loaded when the first one is met.
 */

import type { Source } from '../types/source.ts';
import type { ImageOptions } from './image/read-raster.ts';

/** `options` bound the images among outputs, as they do for `createImageSource`. */
export function createNotebookSource(options: ImageOptions = {}): Source {
  return {
    kind: 'notebook',
    claims: ({ opened, name }) => opened.is === 'file' && /\.ipynb$/i.test(name),
    async open(subject, call) {
      const { openNotebook } = await import('./notebook/open-notebook.ts');
      return openNotebook(subject, call, options);
    },
  };
}

export const notebookSource = createNotebookSource();
