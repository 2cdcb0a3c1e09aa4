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

function truncation({ cutBy, text }: Pick<ShownEntries, 'cutBy' | 'text'>): Record<string, unknown> {
  if (!cutBy) return {};
  const outputLines = text.split('\n').length;
  return {
    truncation: { truncated: true, truncatedBy: cutBy, outputLines, outputBytes: Buffer.byteLength(text) },
  };
}
