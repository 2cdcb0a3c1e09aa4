/** What oriel calls of this package: fleets, objects, shared state, workers. Each call hands over what its code uses of oriel. */

import type { WorkerPackage } from '../../../src/faces/cli/serve-command.ts';
import type { FleetPackage } from '../../../src/faces/client/fleet.ts';
import type { ObjectsPackage } from '../../../src/formats/s3/open.ts';
import type { StatePackage } from '../../../src/state/open-state.ts';
import { makeFleet } from './fleet.ts';
import { receiveOriel } from './oriel.ts';
import { openS3Path } from './s3/open.ts';
import { openStore } from './state/store.ts';
import { runWorker } from './worker.ts';

export const scale: FleetPackage & ObjectsPackage & StatePackage & WorkerPackage = {
  createFleet(host, options) {
    receiveOriel(host);
    return makeFleet(options);
  },
  openObject(host, typed, settings, call) {
    receiveOriel(host);
    return openS3Path(typed, settings, call);
  },
  openState(host, options) {
    receiveOriel(host);
    return openStore(options);
  },
  runWorker(host, settings, streams) {
    receiveOriel(host);
    return runWorker(settings, streams);
  },
};
