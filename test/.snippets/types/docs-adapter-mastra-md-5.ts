import { createOriel } from 'oriel';
import { mastraTools } from 'oriel/mastra';

const oriel = createOriel({ roots: [process.cwd()] });
export const options = mastraTools(oriel.tools);
