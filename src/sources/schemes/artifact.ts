/** The scheme `artifact://N`: the full output of a truncated answer, read with every selector. */

import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import { selectionOf } from '../file.ts';
import { listOf } from './named-files.ts';
import type { Scheme } from './scheme.ts';

export const artifactScheme: Scheme = {
  name: 'artifact',
  async open(rest, call) {
    if (rest === '' || rest.startsWith(':')) {
      const { spills } = call.session;
      const kept = ((await spills.listAll?.()) ?? spills.list()).map(({ url, bytes }) => ({
        name: url.slice('artifact://'.length),
        about: binarySize(bytes),
      }));
      return listOf('artifact', rest, { names: kept, more: false }, 'no output has been kept');
    }
    const [, number, selector = ''] = /^(\d{1,15})(?::(.*))?$/s.exec(rest) ?? [];
    if (number === undefined) {
      throw new OrielError(
        'BAD_PATH',
        `${quote(`artifact://${rest}`)} names no output. Use artifact:// for the list of those that were kept.`,
        { next: 'artifact://' },
      );
    }
    const target = `artifact://${Number(number)}`;
    const selection = selectionOf({ typed: target, rest: selector });
    const { file, capped } = await call.session.spills.open(Number(number));
    call.onEnd(() => file.close());
    return {
      is: 'text',
      kind: 'internal',
      bytes: file.bytes,
      // What was shown of it was windowed as UTF-8: its offsets and line numbers are meant so.
      encoding: 'utf-8',
      selection,
      target,
      name: `${Number(number)}.log`,
      display: 'lines',
      editable: false,
      facts: { path: file.path },
      ...(capped && { notes: [{ kind: 'said', text: cappedNote(target, file.size) }] }),
    };
  },
};

function cappedNote(target: string, kept: number): string {
  return `${target} holds the first ${binarySize(kept)} of its output; the rest was not kept`;
}
