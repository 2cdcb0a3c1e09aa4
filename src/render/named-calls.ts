/** The calls that notices name, as data: for faces that write them in their own syntax. */

import { oneLine } from '../text/visible.ts';
import type { Notice } from '../types/notice.ts';

const named = new WeakMap<object, readonly string[]>();

/** The paths of the calls in the sentence of `detail`, which is an element of `details.notices` made in this process. */
export function callsOf(detail: object): readonly string[] {
  return named.get(detail) ?? [];
}

/** Records the calls in the sentence of `detail`, and returns it. */
export function withCalls<Detail extends object>(
  detail: Detail,
  calls: readonly (string | undefined)[],
): Detail {
  named.set(
    detail,
    calls.filter((call) => call !== undefined),
  );
  return detail;
}

/** The calls that `wording` writes into the sentence of a notice. */
export function callsIn(notice: Notice): readonly (string | undefined)[] {
  switch (notice.kind) {
    case 'past-end':
      return [notice.continued, ...notice.use];
    case 'summary':
      return [notice.use, notice.whole, `${notice.target}:outline`];
    case 'outline': {
      const { target, example } = notice;
      if (!example) return [];
      return [`${target}:${example.from}..${example.to}`, `${target}:#${oneLine(example.name)}`];
    }
    case 'no-structure':
      return notice.what === 'outline' ? [notice.target] : [];
    case 'symbols':
      return [...notice.candidates.map(({ use }) => use), `${oneLine(notice.target)}:outline`];
    case 'said':
      return [notice.use, ...(notice.calls ?? [])];
    default:
      return 'use' in notice ? [notice.use] : [];
  }
}
