import { createOriel } from 'oriel';
import { agentTools } from 'oriel/openai-agents';

const oriel = createOriel({ roots: [process.cwd()] });
export const options = agentTools(oriel.tools);
