import { createOriel } from '../../src/index.ts';

const oriel = createOriel({
  mcpServers: {
    notes: { command: 'notes-server', args: ['--stdio'] },
    far: { url: 'https://mcp.example.com/mcp' },
  },
});
