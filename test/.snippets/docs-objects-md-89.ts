import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  s3: { endpoint: 'http://localhost:9000', region: 'eu-central-1', buckets: ['logs/app'] },
});
