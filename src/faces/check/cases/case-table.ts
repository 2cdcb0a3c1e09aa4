/** Every case of `oriel check`, in the order of the report. A new one is a file here and a row below. */

import type { Case } from '../case.ts';
import { boundedDirectory } from './bounded-directory.ts';
import { boundedFile } from './bounded-file.ts';
import { boundedLine } from './bounded-line.ts';
import { boundedSearch } from './bounded-search.ts';
import { controlNames } from './control-names.ts';
import { controls } from './controls.ts';
import { device } from './device.ts';
import { eightFifos } from './eight-fifos.ts';
import { fifo } from './fifo.ts';
import { fifoSearch } from './fifo-search.ts';
import { large } from './large.ts';
import { longPath } from './long-path.ts';
import { missing } from './missing.ts';
import { nul } from './nul.ts';
import { pages } from './pages.ts';
import { phantomLine } from './phantom-line.ts';
import { slowPattern } from './slow-pattern.ts';
import { sparse } from './sparse.ts';
import { wallAbsolute } from './wall-absolute.ts';
import { wallDirectoryLink } from './wall-directory-link.ts';
import { wallEncoded } from './wall-encoded.ts';
import { wallKernel } from './wall-kernel.ts';
import { wallLink } from './wall-link.ts';
import { wallLinkChain } from './wall-link-chain.ts';
import { wallList } from './wall-list.ts';
import { wallParent } from './wall-parent.ts';
import { wallRace } from './wall-race.ts';
import { wallSearch } from './wall-search.ts';
import { wholeLines } from './whole-lines.ts';
import { wrongType } from './wrong-type.ts';

export const cases: readonly Case[] = [
  boundedFile,
  boundedLine,
  boundedDirectory,
  boundedSearch,
  wholeLines,
  phantomLine,
  pages,
  wallParent,
  wallAbsolute,
  wallEncoded,
  wallLink,
  wallLinkChain,
  wallDirectoryLink,
  wallList,
  wallSearch,
  wallKernel,
  wallRace,
  fifo,
  eightFifos,
  fifoSearch,
  device,
  slowPattern,
  sparse,
  large,
  missing,
  nul,
  controls,
  controlNames,
  longPath,
  wrongType,
];
