/** Checks that a route's path is absolute, as a control plane knows it. */

import { isAbsolute } from 'node:path';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Access } from '../../types/access.ts';

/** The path to open. Throws `BAD_PATH`. */
export function absolute(access: Access, path: string): string {
  if (!isAbsolute(path)) {
    throw new OrielError('BAD_PATH', `file path must be absolute: ${JSON.stringify(quote(path))}`);
  }
  // To a model `/` is its working directory; here it is the root of the file system.
  return path === '/' ? path : access.absolute(path);
}
