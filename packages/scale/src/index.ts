/** What oriel calls of this package: fleets, objects, shared sessions and state, workers. Each call hands over what its code uses of oriel. */

import type { WorkerPackage } from '../../../src/faces/cli/serve-command.ts';
import type { FleetPackage } from '../../../src/faces/client/fleet.ts';
import type { ObjectsPackage } from '../../../src/formats/s3/open.ts';
import type { SessionPackage } from '../../../src/session/shared.ts';
import type { StatePackage } from '../../../src/state/open-state.ts';
import { makeFleet } from './fleet.ts';
import { receiveOriel } from './oriel.ts';
import { openS3Path } from './s3/open.ts';
import { SharedCache, SharedSnapshots } from './session/cache.ts';
import { SharedSpills } from './session/spills.ts';
import { openStore } from './state/store.ts';
import { runWorker } from './worker.ts';

export const scale: FleetPackage & ObjectsPackage & SessionPackage & StatePackage & WorkerPackage = {
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
  shareSession(host, { files, spills, space, unlisted }) {
    receiveOriel(host);
    return {
      disk: files && new SharedCache(files, space),
      shownTo: unlisted === undefined ? new SharedSnapshots(space) : undefined,
      spills: new SharedSpills(spills, space, { unlisted }),
    };
  },
  runWorker(host, settings, streams) {
    receiveOriel(host);
    return runWorker(settings, streams);
  },
};
