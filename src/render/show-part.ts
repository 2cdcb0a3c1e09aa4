/** Owns how a part of a summary looks: numbered like the lines of a text, with the range of what it stands for. */

import type { Display } from '../types/display.ts';
import type { SummaryPart } from '../types/summary.ts';
import { displays } from './display.ts';

/** `12|text`, `12-20|run() { ... }`; without line numbers the range stands behind what was left out. */
export function showPart(part: SummaryPart, display: Display): string {
  const range = part.from === part.to ? String(part.from) : `${part.from}-${part.to}`;
  const text = display.text(part.text);
  if (display === displays.numbers) return `${range}|${text}\n`;
  if (display === displays.hashline) return `${range}:${text}\n`;
  return part.is === 'line' ? `${text}\n` : `${text} [${range}]\n`;
}
