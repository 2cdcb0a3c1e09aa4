/** The verdict of the report: did larger windows reduce the number of calls? */

import type { SizeReport, Verdict } from '../types/task-report.ts';

/** Minimum number of sources of a size; with fewer the verdict is `unknown`. */
const LEAST_SOURCES = 3;

/** Minimum difference of the reads per source. */
const DIFFERENCE = 0.1;

/** Compares sources whose first answer had less than 8 KiB with those whose first answer had 32 KiB or more. */
export function verdictOf(sizes: readonly SizeReport[]): Verdict {
  const [small, large] = [sumOf(sizes, 'small'), sumOf(sizes, 'large')];
  if (small.sources < LEAST_SOURCES || large.sources < LEAST_SOURCES) {
    return {
      reduced: 'unknown',
      text:
        `Whether larger windows reduced calls cannot be told yet. It takes ${LEAST_SOURCES} texts over 8 KiB that were begun with ` +
        `an answer below 8 KiB (so far ${small.sources}) and ${LEAST_SOURCES} with one of 32 KiB or more (so far ${large.sources}).`,
    };
  }
  const [few, many] = [large.reads / large.sources, small.reads / small.sources];
  const reduced = few < many * (1 - DIFFERENCE) ? 'yes' : 'no';
  const facts =
    `texts over 8 KiB that were begun with an answer of 32 KiB or more took ${few.toFixed(1)} reads each (${large.sources} of them), ` +
    `those begun with less than 8 KiB took ${many.toFixed(1)} (${small.sources} of them)`;
  return {
    reduced,
    text:
      reduced === 'yes'
        ? `Larger windows reduced calls: ${facts}.`
        : `Larger windows did not reduce calls: ${facts}.`,
  };
}

/** The sum of the reports of a size over several tasks. */
export function sumOf(sizes: readonly SizeReport[], name: SizeReport['size']): SizeReport {
  const sum = { size: name, sources: 0, reads: 0, pages: 0, bytes: 0 };
  for (const { size, sources, reads, pages, bytes } of sizes) {
    if (size !== name) continue;
    sum.sources += sources;
    sum.reads += reads;
    sum.pages += pages;
    sum.bytes += bytes;
  }
  return sum;
}
