/** Opens `s3://` by the package @oriel/scale: the list of buckets, a prefix, or an object. */

import { OrielError } from '../../errors.ts';
import { requireSibling } from '../../files/package-files.ts';
import type { Call, Resource } from '../../types/call.ts';
import type { S3Settings } from '../../types/settings.ts';

/** Throws OrielError: `UNSUPPORTED` if objects are off or the package is missing, and the errors of reading. */
export async function openObject(typed: string, call: Call): Promise<Resource> {
  const { s3, operator } = call.settings;
  if (s3 === false) {
    throw new OrielError(
      'UNSUPPORTED',
      `s3:// is not read: objects are off here. The operator of oriel can allow them ${operator.objects}.`,
    );
  }
  const scale = requireSibling('scale', await import('./host.ts')) as ObjectsPackage;
  return scale.openS3Path(typed, s3, call);
}

/** What the package @oriel/scale does for `s3://`. */
export interface ObjectsPackage {
  openS3Path(typed: string, settings: S3Settings, call: Call): Promise<Resource>;
}
