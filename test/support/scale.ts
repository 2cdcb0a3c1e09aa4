/** Hands over to the sources of @oriel/scale what oriel does when it calls that package. */

import { receiveOriel } from '../../packages/scale/src/oriel.ts';
import { workerHost } from '../../src/faces/cli/serve-command.ts';
import { fleetHost } from '../../src/faces/client/fleet.ts';
import * as objectsHost from '../../src/formats/s3/host.ts';

receiveOriel({ ...fleetHost, ...objectsHost, ...(await workerHost()) });
