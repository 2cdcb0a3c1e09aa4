import { createOriel } from 'oriel';

const state = { url: 'redis://127.0.0.1:6379', key: process.env['STATE_KEY'] ?? '', space: 'team-a' };
export const open = () => createOriel({ roots: ['.'], state });
