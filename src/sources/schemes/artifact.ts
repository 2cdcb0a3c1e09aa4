/** The scheme `artifact://N`: the full output of a truncated answer, with any selector. */

import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import { selectionOf } from '../file.ts';
import { listOf } from './name-lists.ts';
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
    const { file, capped } = await call.session.spills.open(Number(number)).catch((error: unknown) => {
      throw withSelector(error, selector);
    });
    call.onEnd(() => file.close());
    return {
      is: 'text',
      kind: 'internal',
      bytes: file.bytes,
      // Offsets and line numbers in notices refer to the text as UTF-8.
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

/** Adds the selector to the next call of a `BUSY` error, which advises to repeat the call. */
function withSelector(error: unknown, selector: string): unknown {
  if (!isOrielError(error) || error.code !== 'BUSY' || error.next === undefined || selector === '')
    return error;
  return new OrielError(error.code, error.message, { next: `${error.next}:${selector}`, cause: error });
}

function cappedNote(target: string, kept: number): string {
  return `${target} holds the first ${binarySize(kept)} of its output; the rest was not kept`;
}
