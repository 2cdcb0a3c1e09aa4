/**
 * Whether larger windows took fewer calls: sources by the size of the first answer about them, with the reads that each
 * size took until the end of the task.
 */

import type { SizeReport } from '../types/task-report.ts';
import type { FileFigures, Placed } from './file-figures.ts';

/** Bytes of a first answer below which a source belongs to the size; the last one has no bound. */
const BOUNDS = [8 * 1024, 32 * 1024, Number.POSITIVE_INFINITY] as const;

const NAMES = ['small', 'middle', 'large'] as const;

export class WindowSizes {
  readonly sizes: readonly { -readonly [K in keyof SizeReport]: SizeReport[K] }[] = NAMES.map((size) => ({
    size,
    sources: 0,
    reads: 0,
    pages: 0,
    bytes: 0,
  }));
  /** By source: the index of its size, of the version that was read last. */
  readonly #sizeOf = new WeakMap<FileFigures, { readonly index: number; readonly version: number }>();

  /** A text that ends within the smallest window says nothing about larger ones. */
  add(file: FileFigures, { chain }: Placed, answerBytes: number): void {
    if ((file.totalBytes ?? Number.POSITIVE_INFINITY) <= BOUNDS[0]) return;
    const last = this.#sizeOf.get(file);
    // A text that has changed is begun again.
    const known = last?.version === file.versions ? last.index : undefined;
    const index = known ?? BOUNDS.findIndex((most) => answerBytes < most);
    const size = this.sizes[index];
    if (!size) return;
    if (known === undefined) {
      this.#sizeOf.set(file, { index, version: file.versions });
      size.sources += 1;
    }
    size.reads += 1;
    size.bytes += answerBytes;
    size.pages += Number((chain?.calls ?? 0) > 1);
  }
}
