/** Turns the failure of a connection into an OrielError with advice. */

import { OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';

/** The advice for a server that is temporarily unavailable. */
const LATER = ' Use the same call later.';

/** `url`: the requested URL, if there was no answer yet. An abort is the signal's reason. */
export function networkError(error: unknown, url: URL | undefined, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  const chain = [error, (error as Error).cause, ...((error as AggregateError).errors ?? [])];
  const known = chain.find((one) => one instanceof OrielError);
  if (known) return known;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const what = url ? quote(url.host) : 'The server';
  const options = { cause: error };
  if (/TIMEOUT/.test(code))
    return new OrielError('TIMEOUT', `${what} did not answer in time.${LATER}`, options);
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return new OrielError(
      'NETWORK',
      `${what} has no address. Use the URL of another host, or the same call later.`,
      options,
    );
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new OrielError(
      'TLS',
      `${what} has no valid certificate: ${oneLine(message)}. Use the URL of another host.`,
      options,
    );
  }
  if (/HEADERS_OVERFLOW/.test(code))
    return new OrielError('LIMIT', `${what} sends too many headers. Use another URL.`, options);
  // An assertion of undici about an invalid reply, such as a status of 000.
  const said =
    code === 'ERR_ASSERTION' ? 'its reply is not HTTP' : oneLine(message).slice(0, 200).replace(/\.$/, '');
  return new OrielError('NETWORK', `${what} could not be read: ${said}.${LATER}`, options);
}
