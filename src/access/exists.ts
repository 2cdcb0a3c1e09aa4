/** Whether a path can be opened. */

import type { Access } from '../types/access.ts';

/** `path` is absolute. */
export async function exists(path: string, access: Access): Promise<boolean> {
  const opened = await access.open(path).catch(() => undefined);
  await opened?.close();
  return opened !== undefined;
}
