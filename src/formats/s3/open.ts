/** Opens `s3://` by the package @oriel/scale: the list of buckets, a prefix, or an object. */

import { isOrielError, OrielError } from '../../errors.ts';
import { requireSibling } from '../../files/package-files.ts';
import { settingsAccess } from '../../files/user-settings.ts';
import { createNetwork, webUrl } from '../../network/fetch.ts';
import { age, binarySize } from '../../render/display.ts';
import { readAt } from '../../text/bytes.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { decodeUri, oneLine, quote, withoutTrailingSlashes } from '../../text/visible.ts';
import type { Call, Resource } from '../../types/call.ts';
import type { S3Settings } from '../../types/settings.ts';
import { objectLimits, withinTime } from '../ranges/limits.ts';
import { divideRemotePath, openRemote } from '../ranges/open.ts';
import { textListing } from '../resources/names.ts';

/** Throws OrielError: `UNSUPPORTED` if objects are off or the package is missing, and the errors of reading. */
export async function openObject(typed: string, call: Call): Promise<Resource> {
  const { s3, operator } = call.settings;
  if (s3 === false) {
    throw new OrielError(
      'UNSUPPORTED',
      `s3:// is not read: objects are off here. The operator of oriel can allow them ${operator.objects}.`,
    );
  }
  const scale = requireSibling('scale') as ObjectsPackage;
  return scale.openObject(await objectsHost(), typed, s3, call);
}

/** What the package @oriel/scale does for `s3://`. */
export interface ObjectsPackage {
  openObject(host: ObjectsHost, typed: string, settings: S3Settings, call: Call): Promise<Resource>;
}

export type ObjectsHost = Awaited<ReturnType<typeof objectsHost>>;

/** All that it uses of this one. */
// oxlint-disable-next-line typescript/explicit-function-return-type
export async function objectsHost() {
  const { Parser } = await import('htmlparser2');
  return {
    age,
    binarySize,
    createNetwork,
    decodeUri,
    didYouMean,
    divideRemotePath,
    isOrielError,
    nearNames,
    objectLimits,
    oneLine,
    openRemote,
    OrielError,
    Parser,
    quote,
    readAt,
    settingsAccess,
    textListing,
    webUrl,
    withinTime,
    withoutTrailingSlashes,
  };
}
