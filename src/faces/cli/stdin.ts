/** The operand `-`: keeps the standard input like the output of a command, so that its later pages can be read. */

import { assemble } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { Streams, Values } from './command.ts';
import { orielOptions } from './oriel-options.ts';

/** Maximum bytes that are read, because an input may be endless. The producer gets EPIPE after them. */
const MOST = 256 << 20;

/**
 * Reads the input for `-` and `-:50-100`, and returns `artifact://N` with the selector, or its file if the dialect reads only files.
 * Any other operand is returned unchanged. Throws `BAD_INPUT` on a terminal; its error names `command`.
 */
export async function keepInput(
  operand: string,
  values: Values,
  { err, signal }: Streams,
  command = 'read',
): Promise<string> {
  if (operand !== '-' && !operand.startsWith('-:')) return operand;
  const { stdin } = process;
  if (stdin.isTTY) {
    throw new OrielError('BAD_INPUT', `The standard input is a terminal. Use COMMAND | oriel ${command} -.`);
  }
  const options = orielOptions(values);
  const spill = assemble(options).session.spills.create();
  let bytes = 0;
  let isCut = false;
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
    const taken = chunk.subarray(0, MOST - bytes);
    bytes += taken.length;
    await spill.write(taken);
    isCut = taken.length < chunk.length;
    if (signal.aborted || isCut) break;
  }
  // Answers about the kept input say that it is not all of it, also in later processes.
  const { url, path, ...kept } = await spill.finish(isCut);
  if (kept.capped) err.write(`oriel: only the first ${binarySize(kept.bytes)} of the input are read\n`);
  return (options.dialect ?? 'oriel') === 'oriel' ? url + operand.slice(1) : path;
}
