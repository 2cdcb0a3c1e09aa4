import { createOriel } from 'oriel';

const oriel = createOriel({
  web: { endpoints: { wikipedia: 'http://wiki.internal/{lang}', mdn: 'http://mdn.internal' } }, // mirrors
});
