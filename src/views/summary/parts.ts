/** Owns turning kept and hidden lines into the parts of a summary: lines, gaps, and blocks merged on their brace line. */

import type { LineRange, SummaryPart } from '../../types/summary.ts';
import type { Hidden } from './hidden.ts';

export interface Parts {
  readonly parts: readonly SummaryPart[];
  /** Every line whose text is not shown, sorted; no two ranges touch. */
  readonly elided: readonly LineRange[];
}

export function partsOf(lines: readonly string[], { hidden, collapsed, ends }: Hidden): Parts {
  const parts: SummaryPart[] = [];
  const elided: LineRange[] = [];
  for (let no = 1; no <= lines.length;) {
    const short = hidden[no] ? undefined : collapsed.get(no);
    if (short) {
      parts.push({ is: 'merged', from: no, to: short.to, text: short.text });
      if (short.elided) leaveOut(elided, short.elided);
      no = short.to + 1;
    } else if (!hidden[no]) {
      parts.push({ is: 'line', from: no, to: no, text: lines[no - 1] ?? '' });
      no += 1;
    } else {
      let to = no;
      while (to < lines.length && hidden[to + 1] && !ends.has(to)) to += 1;
      leaveOut(elided, { from: no, to });
      no = merge(parts, { from: no, to }, lines, collapsed) + 1;
    }
  }
  return { parts, elided };
}

/** Adds a range; one that touches the last is joined with it. */
function leaveOut(elided: LineRange[], range: LineRange): void {
  const last = elided.at(-1);
  if (last && last.to + 1 >= range.from) elided[elided.length - 1] = { from: last.from, to: range.to };
  else elided.push(range);
}

const opens = /(?:[{([]|\b(?:do|then))\s*(?:\|[^|]*\|\s*)?$/;
const closes = /^\s*(?:[)\]}]|end\b|done\b|fi\b)/;
const wordCloses = /^\s*(?:end|done|fi)\b/;

/** Appends the gap, on the line before it where that opens the block; returns the last line that is dealt with. */
function merge(
  parts: SummaryPart[],
  gap: LineRange,
  lines: readonly string[],
  collapsed: Hidden['collapsed'],
): number {
  const before = parts.at(-1);
  const after = lines[gap.to];
  const opener =
    before && before.is !== 'gap' && before.to === gap.from - 1 ? before.text.trimEnd() : undefined;
  const closer =
    after !== undefined && closes.test(after) && !collapsed.has(gap.to + 1) ? after.trim() : undefined;
  if (opener !== undefined && closer !== undefined && (opens.test(opener) || wordCloses.test(closer))) {
    parts[parts.length - 1] = {
      is: 'merged',
      from: before?.from ?? gap.from,
      to: gap.to + 1,
      text: `${opener} ... ${closer}`,
    };
    return gap.to + 1;
  }
  if (opener?.endsWith(':')) {
    parts[parts.length - 1] = {
      is: 'merged',
      from: before?.from ?? gap.from,
      to: gap.to,
      text: `${opener} ...`,
    };
    return gap.to;
  }
  const indent =
    /^\s*/.exec(lines.slice(gap.from - 1, gap.to).find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
  parts.push({ is: 'gap', ...gap, text: `${indent.slice(0, 40)}...` });
  return gap.to;
}
