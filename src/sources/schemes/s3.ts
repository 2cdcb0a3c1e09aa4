/** The scheme `s3://BUCKET/KEY`: S3 objects and what speaks its protocol. What reads them loads with the first. */

import type { Scheme } from './scheme.ts';

export const s3Scheme: Scheme = {
  name: 's3',
  isOn: ({ s3 }) => s3 !== false,
  open: async (rest, call) => (await import('../objects/open-object.ts')).openObject(rest, call),
};
