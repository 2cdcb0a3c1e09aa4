/**
 * What oriel hands over when it loads this package, so that none of its classes and none of its state exist twice. From its
 * sources this package takes only types; everything else that it needs of oriel is a name here.
 */

import type { CheckHost } from '../../../src/faces/cli/check-command.ts';

export let basicEnvironment: CheckHost['basicEnvironment'];
export let Client: CheckHost['Client'];
export let isOrielError: CheckHost['isOrielError'];
export let oneLine: CheckHost['oneLine'];
export let OrielError: CheckHost['OrielError'];
export let ProtocolError: CheckHost['ProtocolError'];
export let quote: CheckHost['quote'];
export let runningProcessIds: CheckHost['runningProcessIds'];
export let safeJson: CheckHost['safeJson'];
export let StdioClientTransport: CheckHost['StdioClientTransport'];
export let version: CheckHost['version'];

/** Before anything else of this package is called. */
export function useOriel(host: CheckHost): void {
  ({
    basicEnvironment,
    Client,
    isOrielError,
    oneLine,
    OrielError,
    ProtocolError,
    quote,
    runningProcessIds,
    safeJson,
    StdioClientTransport,
    version,
  } = host);
}
