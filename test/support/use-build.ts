/** Sources under test take their workers and grammars from the build of this run. */

import { inject } from 'vitest';
import { useBuiltPackage } from '../../src/access/package-files.ts';

useBuiltPackage(inject('builtPackage'));
