import { createOriel } from 'oriel';
import { piTool } from 'oriel/pi';

export const customTools = createOriel().tools.map(piTool);
