/** A scheme that is read by a function of the host: `ticket://42`. */

import { memoryBytes } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { everything, isSelector, parseSelection, withPath } from '../../selector/selection.ts';
import { candidates } from '../../selector/split.ts';
import { quote } from '../../text/visible.ts';
import type { HostScheme } from '../../types/settings.ts';
import type { Scheme } from './scheme.ts';

/** The whole text is tried as a name first, then shorter ones whose rest can be a selector. */
export const hostScheme = (name: string, read: HostScheme): Scheme => ({
  name,
  async open(rest, { signal }) {
    for (const way of candidates(rest)) {
      if (way.rest !== '' && !isSelector(way.rest)) continue;
      const content = await read(way.path, { signal });
      if (content === undefined) continue;
      const target = `${name}://${way.path}`;
      return {
        is: 'text',
        kind: 'internal',
        bytes: memoryBytes(content),
        encoding: typeof content === 'string' ? 'utf-8' : 'stored',
        selection: withPath(target, () => parseSelection(way.rest)) ?? everything,
        target,
        name: way.path,
        display: 'lines',
        editable: false,
      };
    }
    if (rest === '') {
      throw new OrielError('NOT_FOUND', `${name}:// has no list. Use it with a name: ${name}://NAME.`);
    }
    const why = `${quote(`${name}://${rest}`)} does not exist`;
    const list = await read('', { signal });
    if (list === undefined) throw new OrielError('NOT_FOUND', `${why}, and ${name}:// has no list of names.`);
    throw new OrielError('NOT_FOUND', `${why}. Use ${name}:// for the list.`, { next: `${name}://` });
  },
});
