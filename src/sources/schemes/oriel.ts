/** The scheme `oriel://PAGE`: oriel's own manual. */

import { createAccess } from '../../access/local.ts';
import { packageDirectory } from '../../access/package-files.ts';
import { filesIn, namedScheme } from './named-files.ts';

export const orielScheme = namedScheme({
  scheme: 'oriel',
  places() {
    const directory = packageDirectory('docs');
    return [{ access: createAccess({ cwd: directory, roots: [directory], allow: [] }), directory }];
  },
  async names(places, call) {
    const { names, more } = await filesIn(places, call);
    return { names: names.filter(({ name }) => name.endsWith('.md')), more };
  },
  paths: (name) => [name, `${name}.md`],
  empty: () => 'the manual is not installed',
});
