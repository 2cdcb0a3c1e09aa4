/**
 * What oriel hands over when it calls this package, so that none of its classes and none of its state exist twice. From the
 * sources of oriel this package takes only types.
 */

import type { WorkerHost } from '../../../src/faces/cli/serve-command.ts';
import type { FleetHost } from '../../../src/faces/client/fleet.ts';
import type { ObjectsHost } from '../../../src/formats/s3/open.ts';
import type { SessionHost } from '../../../src/session/shared.ts';
import type { StateHost } from '../../../src/state/open-state.ts';

type ScaleHost = FleetHost & ObjectsHost & SessionHost & StateHost & WorkerHost;

/** A part of it is handed over with each call: what the code behind that call uses. */
export const oriel = {} as ScaleHost;

export function receiveOriel(part: Partial<ScaleHost>): void {
  Object.assign(oriel, part);
}
