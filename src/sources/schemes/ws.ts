/** The scheme `ws://NAME/path`: files of remote workspaces. The implementation is imported at the first use. */

import type { Scheme } from './scheme.ts';

export const wsScheme: Scheme = {
  name: 'ws',
  isOn: ({ workspaces }) => Object.keys(workspaces).length > 0,
  open: async (rest, call) => (await import('../fleet/open-workspace.ts')).openWorkspace(rest, call),
};
