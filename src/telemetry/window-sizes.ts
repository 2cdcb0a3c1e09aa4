/**
 * Counts sources by the size of the first answer about them, with all reads of each size until the end of the task. This
 * shows whether larger windows reduced calls.
 */

import type { SizeReport } from '../types/task-report.ts';
import type { FileFigures, Placed } from './file-figures.ts';

/** Exclusive upper bound of each size, in bytes of the first answer. */
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
  /** By source: the index of its size, for the version that was read last. */
  readonly #sizeOf = new WeakMap<FileFigures, { readonly index: number; readonly version: number }>();

  /** Ignores texts that are not larger than the smallest window. */
  add(file: FileFigures, { chain }: Placed, answerBytes: number): void {
    if ((file.totalBytes ?? Number.POSITIVE_INFINITY) <= BOUNDS[0]) return;
    const last = this.#sizeOf.get(file);
    // A changed text counts as a new one.
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
