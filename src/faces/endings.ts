/** How servers end, over stdio and over HTTP: the time that running calls have, and the errors of those that get no answer. */

import { OrielError } from '../errors.ts';

/** Milliseconds that running calls have after the server was told to end. */
export const GRACE_MS = 3_000;

/** For a call that was running. */
export const ended = (): OrielError =>
  new OrielError(
    'BUSY',
    'The server has ended, and this call with it. Use the same call when it runs again.',
  );

/** For a call that arrived while the server was ending. */
export const ending = (): OrielError =>
  new OrielError('BUSY', 'The server is ending. Use the same call when it runs again.');
