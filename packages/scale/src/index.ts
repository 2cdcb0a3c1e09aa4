/** What oriel calls of this package, after it has handed over what the code behind a call uses. */

import type { WorkerPackage } from '../../../src/faces/cli/serve-command.ts';
import type { FleetPackage } from '../../../src/faces/client/fleet.ts';
import type { ObjectsPackage } from '../../../src/formats/s3/open.ts';
import type { SharedPackage } from '../../../src/session/shared.ts';
import { makeFleet } from './fleet.ts';
import { receiveOriel } from './oriel.ts';
import { openS3Path } from './s3/open.ts';
import { replicateSession } from './session/spills.ts';
import { openStore } from './state/store.ts';
import { runWorker } from './worker.ts';

const called: FleetPackage & ObjectsPackage & SharedPackage & WorkerPackage = {
  makeFleet,
  openS3Path,
  openStore,
  replicateSession,
  runWorker,
};

export const scale: typeof called & { receiveOriel: typeof receiveOriel } = { ...called, receiveOriel };
