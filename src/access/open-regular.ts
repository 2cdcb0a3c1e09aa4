/** Opens regular files that oriel wrote, and refuses anything else that has replaced them. */

import { constants } from 'node:fs';
import { hasDescriptorPaths, type Inspector, openDescriptor } from './descriptors.ts';
import { type Found, look, statsOf } from './path-walk.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Throws the system's error, and ENOENT for anything but a regular file. */
export async function openRegular(path: string, inspector: Inspector): Promise<Found> {
  if (!hasDescriptorPaths()) return judged(await openDescriptor(path, READ), inspector);
  // A writer on a FIFO must not notice, and opening a device may have side effects.
  const found = await look(path, false, inspector);
  if (typeof found !== 'object') throw NO_FILE;
  try {
    if (!found.stats.isFile()) throw NO_FILE;
    const fd = await inspector.open(`/proc/self/fd/${found.fd}`, READ & ~constants.O_NOFOLLOW);
    return await judged(fd, inspector);
  } finally {
    await inspector.close(found.fd);
  }
}

const NO_FILE = Object.assign(new Error('This is not a regular file.'), { code: 'ENOENT' });

async function judged(fd: number, inspector: Inspector): Promise<Found> {
  const stats = await statsOf(fd, inspector);
  if (stats.isFile()) return { fd, stats };
  await inspector.close(fd);
  throw NO_FILE;
}
