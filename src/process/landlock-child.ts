/** The first program of a confined child process of Bun: `PATHS ENTRY`, the paths that the entry may read as a JSON array. */

import { replaceConfined } from './landlock.ts';

const [paths = '[]', entry = ''] = process.argv.slice(2);
replaceConfined(process.execPath, [entry], JSON.parse(paths) as string[]);
