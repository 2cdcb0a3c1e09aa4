/** What the dialects declare to do against a law. */

import { dialectOf } from '../../src/dialects/dialect-table.ts';
import { dialectNames } from '../../src/index.ts';
import type { ToolCase } from './tools.ts';

export const departs = dialectNames.flatMap((dialect) =>
  dialectOf(dialect).departs.map(({ law, tool }) => ({ dialect, tool, law })),
);
const departing = (law: number) => (tool: ToolCase) =>
  departs.some((known) => known.law === law && known.dialect === tool.dialect && known.tool === tool.tool);
export const keeping = (law: number) => (tool: ToolCase) => !departing(law)(tool);
