/** Decides which files are Jupyter notebooks. */

import type { SourceSubject } from '../../types/call.ts';
import { formatOf } from '../archive/detect.ts';

const NAME = /\.ipynb$/i;

export function isNamedNotebook(name: string): boolean {
  return NAME.test(name);
}

/** An archive with that name is read by its members: some may be private. */
export function isNotebook({ name, head }: Pick<SourceSubject, 'name' | 'head'>): boolean {
  return NAME.test(name) && formatOf(head) === undefined;
}
