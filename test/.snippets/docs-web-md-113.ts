import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  web: { allow: ['localhost:8080', '10.0.0.0/8'] }, // beside public addresses; false takes the web away
});
