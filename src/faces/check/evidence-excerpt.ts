/** Parts of calls and answers that fit in a report. */

import { oneLine } from '../../text/visible.ts';
import type { Call } from './server-answer.ts';

/** Maximum characters of an excerpt, before they are escaped. */
const MOST = 300;

/** Characters before the place that matters. */
const BEFORE = 100;

/** The part of `text` around the index `at`, on one line and escaped. */
export function excerpt(text: string, at = 0): string {
  const from = at < MOST - BEFORE ? 0 : at - BEFORE;
  const part = text.slice(from, from + MOST);
  return `${from > 0 ? '…' : ''}${oneLine(part)}${from + MOST < text.length ? '…' : ''}`;
}

/** Cuts the long texts in the arguments of a call. */
export function shortened({ tool, arguments: all }: Call): Call {
  const short = Object.entries(all).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > MOST ? `${value.slice(0, MOST)}…` : value,
  ]);
  return { tool, arguments: Object.fromEntries(short) as Record<string, unknown> };
}
