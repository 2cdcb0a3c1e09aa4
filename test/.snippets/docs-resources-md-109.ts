import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  agentOutputs: '.', // agent://ID is a file ID.* in it; on the command line --agent-outputs DIR
  schemes: {
    ticket: async (name) => (name === '42' ? 'Title: the build is red\n' : undefined),
    memory: false, // takes one away
  },
});
console.log((await oriel.tool('read').run({ path: 'ticket://42' })).isError); // false
await oriel.close();
