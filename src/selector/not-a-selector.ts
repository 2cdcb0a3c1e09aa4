/** The error for what follows a path but is no selector of it. */

import { OrielError } from '../errors.ts';
import { ended, quote } from '../text/visible.ts';

/** `rest`: what follows, without its colon. `forms`: the selectors that `typed` takes, "lines (:50-100), :raw or :fresh". */
export function notASelector(typed: string, rest: string, forms: string): OrielError {
  const [path, shown] = [quote(typed), quote(rest)];
  return new OrielError(
    'BAD_SELECTOR',
    `${shown.startsWith('?') ? '' : ':'}${shown} is not a selector of ${ended(path)} Use ${path} alone, or followed by ${forms}.`,
    { next: typed },
  );
}
