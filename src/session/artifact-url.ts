/** URLs of kept outputs (`artifact://N`), and the error for one that does not exist. */

import { randomBytes } from 'node:crypto';
import { OrielError } from '../errors.ts';

const SCHEME = 'artifact://';

export function artifactUrl(number: number): string {
  return `${SCHEME}${number}`;
}

/** The number in a URL that `artifactUrl` made. */
export function artifactNumber(url: string): number {
  return Number(url.slice(SCHEME.length));
}

/** A random number of fifteen digits (9 × 10¹⁴ values). Sequential numbers are shorter. */
export function unguessableNumber(): number {
  const random = randomBytes(8).readBigUInt64BE() % 900_000_000_000_000n;
  return 100_000_000_000_000 + Number(random);
}

/** `NOT_FOUND`. The next call that it suggests is `last`, the URL of the last kept output. */
export function missingArtifact(number: number, last: string | undefined, cause?: unknown): OrielError {
  const said = last === undefined ? 'No output has been kept.' : `The last one kept is ${last}.`;
  return new OrielError('NOT_FOUND', `There is no ${artifactUrl(number)}. ${said}`, {
    next: last ?? '.',
    cause,
  });
}

/** `NOT_FOUND` for a client whose outputs are not listed. */
export function missingUnlisted(number: number): OrielError {
  return new OrielError(
    'NOT_FOUND',
    `There is no ${artifactUrl(number)}, or it was removed. Outputs of clients without a name are not listed; repeat the call that made it.`,
    { next: '.' },
  );
}
