/** Owns how command output is shown: as a terminal would leave it, with what is still hidden made visible. */

import { terminalText } from '../text/terminal.ts';
import { makeVisible } from '../text/visible.ts';
import { type Display, raw } from './display.ts';

/** `terminal`: escape sequences and redrawn progress gone. `raw`: the decoded text as it is. */
export type OutputDisplay = 'terminal' | 'raw';

const shown = (text: string): string => makeVisible(terminalText(text)).text;

const terminal: Display = { show: (line) => shown(line.text), text: shown };

export const outputDisplays: { readonly [name in OutputDisplay]: Display } = { terminal, raw };
