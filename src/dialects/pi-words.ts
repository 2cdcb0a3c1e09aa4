/** The words and facts of the `pi` dialect that its tools share. */

import { type ListWording, listWording } from '../render/list-notices.ts';
import type { ListStyle, ShownEntries } from '../render/listing.ts';
import type { ShownMatches } from '../render/matches.ts';
import { decimalSize } from '../render/units.ts';
import type { CutBy } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/** `30KB limit`. */
export function piLimit(by: CutBy, limits: Limits): string {
  return by === 'tokens' ? `${limits.tokens} token limit` : `${decimalSize(limits.bytes)} limit`;
}

/** The size of what is over the byte limit: one that is rounded down to the limit would not exceed it. */
export function piSize(bytes: number, { bytes: limit }: Limits): string {
  return limit < 1000 || bytes <= limit ? decimalSize(bytes) : decimalSize(Math.max(bytes, limit + 500));
}

const piListWording: ListWording = {
  ...listWording,
  limit: ({ of, limit }) => {
    const refine = of === 'entries' ? '' : ', or refine pattern';
    return `${limit} ${of} limit reached. Use limit=${limit * 2} for more${refine}`;
  },
  budget: ({ of, by, budget, shown, found, more }) => {
    const size = by === 'bytes' ? decimalSize(budget) : `${budget} token`;
    const part = of === 'matches' ? ` (${shown} of ${found}${more ? '+' : ''} matches shown)` : '';
    return `${size} limit reached${part}`;
  },
  clipped: ({ characters }) => `Some lines truncated to ${characters} chars. Use read tool to see full lines`,
};

export const piMatches: ListStyle<ShownMatches> = {
  words: piListWording,
  details: ({ limitReached, limit, clipped, ...shown }) => ({
    ...(limitReached && { matchLimitReached: limit }),
    ...truncation(shown),
    ...(clipped && { linesTruncated: true }),
  }),
};

export const piResults: ListStyle<ShownEntries> = entries('resultLimitReached');
export const piEntries: ListStyle<ShownEntries> = entries('entryLimitReached');

function entries(name: string): ListStyle<ShownEntries> {
  return {
    words: piListWording,
    details: ({ limitReached, limit, ...shown }) => ({
      ...(limitReached && { [name]: limit }),
      ...truncation(shown),
    }),
  };
}

/** By the names of pi's `TruncationResult`; totals are of what was found, which a limit of the caller may have ended. */
function truncation({
  cutBy,
  text,
  whole,
  limits,
}: Pick<ShownEntries, 'cutBy' | 'text' | 'whole' | 'limits'>): Record<string, unknown> {
  if (!cutBy) return {};
  return {
    truncation: {
      truncated: true,
      truncatedBy: cutBy,
      outputLines: text.split('\n').length,
      outputBytes: Buffer.byteLength(text),
      totalLines: whole.lines,
      totalBytes: whole.bytes,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      // The lists have their own limits in lines.
      maxLines: Number.MAX_SAFE_INTEGER,
      maxBytes: limits.bytes,
    },
  };
}
