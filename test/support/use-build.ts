/** Vitest setup: code under test loads workers and grammars from this run's build. */

import { inject } from 'vitest';
import { useBuiltPackage } from '../../src/access/package-files.ts';

useBuiltPackage(inject('builtPackage'));
