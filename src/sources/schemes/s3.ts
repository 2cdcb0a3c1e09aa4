/** The scheme `s3://BUCKET/KEY`: objects of S3 and compatible servers. The implementation is imported at the first use. */

import type { Scheme } from './scheme.ts';

export const s3Scheme: Scheme = {
  name: 's3',
  isOn: ({ s3 }) => s3 !== false,
  open: async (rest, call) => (await import('../objects/open-object.ts')).openObject(rest, call),
};
