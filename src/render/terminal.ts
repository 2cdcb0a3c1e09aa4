/** Owns how command output is shown: as a terminal would leave it, with what is still hidden made visible. */

import { terminalText } from '../text/terminal.ts';
import { makeVisible } from '../text/visible.ts';
import type { Display, OutputDisplay } from '../types/display.ts';
import { raw } from './display.ts';

const shown = (text: string): string => makeVisible(terminalText(text)).text;

const terminal: Display = { show: (line) => shown(line.text), text: shown };

export const outputDisplays: { readonly [name in OutputDisplay]: Display } = { terminal, raw };
