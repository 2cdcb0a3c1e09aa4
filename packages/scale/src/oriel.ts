/**
 * What oriel hands over when it calls this package, so that none of its classes and none of its state exist twice. From the
 * sources of oriel this package takes only types.
 */

import type { workerHost } from '../../../src/faces/cli/serve-command.ts';
import type { fleetHost } from '../../../src/faces/client/fleet.ts';
import type * as objectsHost from '../../../src/formats/s3/host.ts';

type ScaleHost = typeof fleetHost & typeof objectsHost & Awaited<ReturnType<typeof workerHost>>;

/** A part of it is handed over with each call: what the code behind that call uses. */
export const oriel = {} as ScaleHost;

export function receiveOriel(part: Partial<ScaleHost>): void {
  Object.assign(oriel, part);
}
