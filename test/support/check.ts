/** Hands over to the sources of @oriel/check what oriel does when it loads that package. */

import { useOriel } from '../../packages/check/src/oriel.ts';
import { checkHost } from '../../src/faces/cli/check-command.ts';

useOriel(await checkHost());
