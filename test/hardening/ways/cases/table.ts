/** Every hostile case. A further class is one file and one row. */

import type { Case } from '../case.ts';
import { archives } from './archives.ts';
import { paths } from './paths.ts';
import { selectors } from './selectors.ts';
import { texts } from './texts.ts';

export const cases: readonly Case[] = [...paths, ...selectors, ...texts, ...archives];
