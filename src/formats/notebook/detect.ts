/** The source of Jupyter notebooks (`.ipynb`). The implementation is imported with the first notebook. */

import type { ContentSource } from '../../types/call.ts';

export function isNamedNotebook(name: string): boolean {
  return /\.ipynb$/i.test(name);
}

export const notebookSource: ContentSource = {
  format: 'notebook',
  claims: ({ opened, name }) => opened.kind === 'file' && isNamedNotebook(name),
  open: async (subject, call) => (await import('./open.ts')).openNotebook(subject, call),
};
