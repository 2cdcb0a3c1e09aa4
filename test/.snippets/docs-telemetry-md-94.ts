import { createOriel } from '../../src/index.ts';

const oriel = createOriel();
oriel.reportRateLimit({ task: 'fix-123', retryAfter: 30, by: 'the provider' });
