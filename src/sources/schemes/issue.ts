/** The scheme `issue://`: issues on GitHub. The implementation is imported at the first use. */

import type { Scheme } from './scheme.ts';

export const issueScheme: Scheme = {
  name: 'issue',
  isOn: ({ web }) => web !== false,
  open: async (rest, call) => (await import('../github/open-github.ts')).openGitHub('issue', rest, call),
};
