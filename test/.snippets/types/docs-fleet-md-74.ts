import { createOriel } from 'oriel';
import { createFleet } from 'oriel/fleet';

const fleet = createFleet({
  workspaces: {
    dev: { url: 'http://127.0.0.1:7345', token: process.env['DEV_TOKEN'] ?? '' },
    prod: { url: 'https://prod.example' },
  },
  concurrency: 64,
  perWorkspace: 8,
});

const oriel = createOriel({ workspaces: fleet.workspaces });
await oriel.tool('read').run({ path: 'ws://dev/src/app.ts' });

const answers = await fleet.each((client) => client.callTool('read', { path: 'package.json' }));
for (const { name, result, ms } of answers) console.log(name, result.ok ? 'read' : result.error.message, ms);
console.log(fleet.report()); // of each: requests, failed, running, waiting, bytes, answered, meanMs, away
