/** What oriel calls of this package: shared state, workers, fleets, objects. */

import type { WorkerPackage } from '../../../src/faces/cli/serve-command.ts';
import type { FleetPackage } from '../../../src/faces/client/fleet.ts';
import type { ObjectsPackage } from '../../../src/formats/s3/open.ts';
import type { StatePackage } from '../../../src/state/open-state.ts';
import * as fleet from './fleet.ts';
import { useOriel } from './oriel.ts';
import * as objects from './s3/open.ts';
import * as state from './state/open-state.ts';
import * as worker from './worker.ts';

export const createFleet: FleetPackage['createFleet'] = (host, ...given) => {
  useOriel(host);
  return fleet.createFleet(...given);
};

export const openObject: ObjectsPackage['openObject'] = (host, ...given) => {
  useOriel(host);
  return objects.openObject(...given);
};

export const openState: StatePackage['openState'] = (host, ...given) => {
  useOriel(host);
  return state.openState(...given);
};

export const runWorker: WorkerPackage['runWorker'] = (host, ...given) => {
  useOriel(host);
  return worker.runWorker(...given);
};
