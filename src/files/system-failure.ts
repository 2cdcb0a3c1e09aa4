/** Turns an error of the operating system into an OrielError, without naming paths outside the roots. */

import { type ErrorCode, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';

const SENTENCES: Record<string, readonly [ErrorCode, string]> = {
  ENOENT: ['NOT_FOUND', 'does not exist'],
  ENOTDIR: ['NOT_DIRECTORY', 'goes through something that is not a directory'],
  EACCES: ['DENIED', 'may not be read: permission denied'],
  EPERM: ['DENIED', 'may not be read: operation not permitted'],
  ELOOP: ['LOOP', 'leads into a loop of links'],
  ENAMETOOLONG: ['NAME_TOO_LONG', 'has a name that is too long'],
  EINVAL: ['BAD_PATH', 'is not a valid path'],
  EMFILE: ['BUSY', 'could not be opened: too many files are open'],
  ENFILE: ['BUSY', 'could not be opened: too many files are open'],
  ENXIO: ['NOT_REGULAR', 'is not a regular file'],
  EISDIR: ['IS_DIRECTORY', 'is a directory'],
  EIO: ['CORRUPT', 'could not be read: input/output error'],
};

/** The system's own name for a failure: `"ENOENT"`; empty for other errors. */
export function errno(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? '';
}

/** The OrielError for an error of the operating system. `path`: as it may be shown to a model. */
export function systemError(error: unknown, path: string): OrielError {
  if (error instanceof OrielError) return error;
  const [code, sentence] = SENTENCES[errno(error)] ?? [
    'INTERNAL',
    `could not be read (${errno(error) || 'unknown'})`,
  ];
  return new OrielError(code, `${quote(path)} ${sentence}.`, { cause: error });
}

const UNWRITTEN: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would exceed the maximum file size',
  EIO: 'the disk failed with an input/output error',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied there',
  EPERM: 'permission is denied there',
  ENOENT: 'its directory is gone',
};

/** Another account could change a directory that leads to a private file. The message is the end of a sentence. */
export class UnsafeDirectory extends Error {
  override name = 'UnsafeDirectory';
}

/**
 * The error for a failed write to a private file: `BUSY` if there were no descriptors, otherwise `LIMIT`. `what`: the
 * beginning of the sentence, "The full output could not be kept".
 */
export function writeFailure(error: unknown, what: string): OrielError {
  const short = isShortage(error);
  const known = error instanceof UnsafeDirectory ? error.message : UNWRITTEN[errno(error)];
  const why = short ? 'too many files are open' : (known ?? (errno(error) || 'for an unknown reason'));
  return new OrielError(short ? 'BUSY' : 'LIMIT', `${what}: ${why}.`, { cause: error });
}

/** Whether a private file could not be written because its disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof OrielError) return isDiskFull(error.cause);
  return errno(error) === 'ENOSPC' || errno(error) === 'EDQUOT';
}

/** Whether file descriptors have run out, which may be temporary. */
export function isShortage(error: unknown): boolean {
  return errno(error) === 'EMFILE' || errno(error) === 'ENFILE';
}

/** Whether the system lacks what a new process needs, which may be temporary: descriptors, processes or memory. */
export function isStartShortage(error: unknown): boolean {
  return isShortage(error) || errno(error) === 'EAGAIN' || errno(error) === 'ENOMEM';
}

/** Whether the same call may succeed later: the error is `BUSY`, or was caused by a lack of descriptors. */
export function mayPass(error: unknown): boolean {
  if (error instanceof OrielError) return error.code === 'BUSY' || mayPass(error.cause);
  return isShortage(error);
}

/** Whether it is a failure of the machine and not of the file: an input/output error, or no descriptors. */
export function isFault(error: unknown): boolean {
  if (error instanceof OrielError && isFault(error.cause)) return true;
  return mayPass(error) || errno(error) === 'EIO';
}
