/** Decides when a text is answered with its summary, and how much room that has. */

import { readAt } from '../access/bytes.ts';
import { estimateTokens } from '../limits.ts';
import { showPart } from '../render/display.ts';
import type { Call } from '../types/call.ts';
import type { Display } from '../types/display.ts';
import type { Limits } from '../types/limits.ts';
import type { NoStructure, Notice } from '../types/notice.ts';
import type { TextResource } from '../types/resource.ts';
import type { Summary } from '../types/summary.ts';
import { languageOf } from '../views/languages.ts';
import { linesOf } from '../views/lines.ts';
import type { TextInput } from '../window/input.ts';

const fewestLines = 100;
const mostLines = 20_000;
const mostBytes = 2 << 20;

/** No code of a hundred lines is shorter. */
const fewestBytes = 500;

/** Reasons that are worth a word: the others are how most texts are. */
const said: ReadonlySet<NoStructure> = new Set(['time', 'crash', 'minified', 'binary']);

export type Brief =
  | {
      readonly summary: Summary;
      readonly totals: { readonly lines: number; readonly bytes: number };
      readonly invalid: boolean;
      /** The lines that are shown as they are stored, with their numbers and their terminators. */
      readonly kept: readonly (readonly [number, string])[];
    }
  | { readonly summary?: undefined; readonly note?: Notice };

/** The summary of a long code file; nothing for any other text, with a word where its parser failed. */
export async function summaryOf(
  resource: TextResource,
  input: TextInput,
  display: Display,
  limits: Limits,
  call: Call,
): Promise<Brief> {
  const { bytes, name, display: shownAs } = resource;
  if (shownAs !== 'lines' || (bytes.size !== undefined && bytes.size < fewestBytes)) return {};
  const head = Buffer.from(await readAt(bytes, 0, 256, call.signal)).toString('latin1');
  if (languageOf(name, head)?.summary !== true) return {};
  const { structureOf, wholeText } = await import('../views/parsed.ts');
  const whole = await wholeText(resource, input, call.signal, mostBytes);
  const lines = linesOf(whole?.text ?? '');
  if (!whole || lines.length < fewestLines || lines.length > mostLines) return {};
  const structure = await structureOf(whole, call);
  if ('none' in structure) {
    return said.has(structure.none)
      ? { note: { kind: 'no-structure', what: 'summary', why: structure.none } }
      : {};
  }
  const { summarize } = await import('../views/summary/summarize.ts');
  const summary = summarize(lines, structure, {
    lines: limits.lines,
    bytes: limits.bytes,
    tokens: limits.tokens,
    show: (part) => showPart(part, display),
    count: call.settings.tokens ?? estimateTokens,
  });
  if (!summary) return {};
  const stored = whole.text.split(/(?<=\n)/);
  return {
    summary,
    totals: { lines: lines.length, bytes: whole.bytes },
    invalid: whole.invalid,
    kept: summary.parts.flatMap((part) =>
      part.is === 'line' ? [[part.from, stored[part.from - 1] ?? ''] as const] : [],
    ),
  };
}
