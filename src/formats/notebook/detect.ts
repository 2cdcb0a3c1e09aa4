/** The source of Jupyter notebooks (`.ipynb`). The implementation is imported with the first notebook. */

import type { ContentSource } from '../../types/call.ts';
import type { ImageOptions } from '../image/decode.ts';

export function isNamedNotebook(name: string): boolean {
  return /\.ipynb$/i.test(name);
}

/** `options` limit the images among the outputs, as for `createImageSource`. */
export function createNotebookSource(options: ImageOptions = {}): ContentSource {
  return {
    kind: 'notebook',
    claims: ({ opened, name }) => opened.is === 'file' && isNamedNotebook(name),
    async open(subject, call) {
      const { openNotebook } = await import('./open.ts');
      return openNotebook(subject, call, options);
    },
  };
}

export const notebookSource = createNotebookSource();
