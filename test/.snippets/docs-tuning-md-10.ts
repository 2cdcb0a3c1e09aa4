import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  limits: { tokens: 2000 },
  tokens: (text) => text.split(/\s+/).length, // the model's own counter
});
const { details } = await oriel.tool('read').run({ path: 'package-lock.json' });
const cut = details['truncation'] as { readonly by: string };
console.log({ cutBy: cut.by }); // { cutBy: 'tokens' }
