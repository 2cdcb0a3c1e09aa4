/** Every hostile case. A further class is one file and one row. */

import type { Case } from '../case.ts';
import { archives } from './archives.ts';
import { commands } from './commands.ts';
import { databases } from './databases.ts';
import { documents } from './documents.ts';
import { images } from './images.ts';
import { paths } from './paths.ts';
import { protocols } from './protocols.ts';
import { search } from './search.ts';
import { selectors } from './selectors.ts';
import { surroundings } from './surroundings.ts';
import { texts } from './texts.ts';
import { web } from './web.ts';

export const cases: readonly Case[] = [
  paths,
  selectors,
  texts,
  archives,
  databases,
  documents,
  images,
  search,
  commands,
  web,
  protocols,
  surroundings,
].flat();
