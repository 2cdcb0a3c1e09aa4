import { createOriel } from '../../src/index.ts';

const state = { url: 'redis://127.0.0.1:6379', key: process.env['STATE_KEY'] ?? '', space: 'team-a' };
export const open = () => createOriel({ roots: ['.'], state });
