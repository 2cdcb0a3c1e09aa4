import { createOriel } from '../../src/index.ts';

const limitsPerModel = { small: { tokens: 2000 }, large: { bytes: 200 << 10, lines: 10_000 } };
const oriel = createOriel({ model: 'small', limitsPerModel });
const { details } = await oriel.tool('read').run({ path: 'package-lock.json' });
const limits = details['limits'] as { readonly tokens: number };
console.log({ tokens: limits.tokens }); // { tokens: 2000 }
