/** The verdict of the report: did larger windows reduce the number of calls? */

import type { SizeReport, Verdict } from '../types/task-report.ts';

/** Sources of a size below which nothing is concluded from it. */
const LEAST_SOURCES = 3;

/** Of the reads that a source takes: a smaller difference says nothing. */
const DIFFERENCE = 0.1;

/** Begun with less than 8 KiB, and with 32 KiB or more. */
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

/** The sizes of several tasks together. */
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
