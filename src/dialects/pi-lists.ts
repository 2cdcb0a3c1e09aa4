/** The texts and details of pi's lists, for each of its versions. */

import { type ListWording, listWording } from '../render/list-notices.ts';
import type { ListStyle, ShownEntries } from '../render/listing.ts';
import type { ShownMatches } from '../render/matches.ts';
import type { PiStyle } from './pi-style.ts';

function wordsOf({ size, tellsShown }: PiStyle): ListWording {
  return {
    ...listWording,
    limit: ({ of, limit }) => {
      const refine = of === 'entries' ? '' : ', or refine pattern';
      return `${limit} ${of} limit reached. Use limit=${limit * 2} for more${refine}`;
    },
    budget: ({ of, by, budget, shown, found, more }) => {
      const limit = by === 'bytes' ? size(budget) : `${budget} ${by.slice(0, -1)}`;
      const tells = tellsShown && of === 'matches';
      return `${limit} limit reached${tells ? ` (${shown} of ${found}${more ? '+' : ''} matches shown)` : ''}`;
    },
    clipped: ({ characters }) =>
      `Some lines truncated to ${characters} chars. Use read tool to see full lines`,
  };
}

export function matchesStyle(style: PiStyle): ListStyle<ShownMatches> {
  return {
    words: wordsOf(style),
    gap: style.gap,
    details: ({ limitReached, limit, clipped, ...shown }) => ({
      ...(limitReached && { matchLimitReached: limit }),
      ...truncation(shown),
      ...(clipped && { linesTruncated: true }),
    }),
  };
}

/** `name`: the field of `details` for the caller's limit. */
export function entriesStyle(
  style: PiStyle,
  name: 'resultLimitReached' | 'entryLimitReached',
): ListStyle<ShownEntries> {
  return {
    words: wordsOf(style),
    gap: style.gap,
    details: ({ limitReached, limit, ...shown }) => ({
      ...(limitReached && { [name]: limit }),
      ...truncation(shown),
    }),
  };
}

/** The fields of pi's `TruncationResult`. Totals are those of what was found, up to the caller's limit. */
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
      // Lists have no limit of lines; the caller's limit is separate.
      maxLines: Number.MAX_SAFE_INTEGER,
      maxBytes: limits.bytes,
    },
  };
}
