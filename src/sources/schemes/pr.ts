/** The scheme `pr://`: pull requests and their diffs on GitHub. The implementation is imported at the first use. */

import type { Scheme } from './scheme.ts';

export const prScheme: Scheme = {
  name: 'pr',
  isOn: ({ web }) => web !== false,
  open: async (rest, call) => (await import('../github/open-github.ts')).openGitHub('pr', rest, call),
};
