/** The endpoint of S3, and the URLs of buckets and objects. */

import { webUrl } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

export interface Endpoint {
  /** Absent for AWS. May have `{bucket}` in its host; otherwise the bucket is the first segment of the path. */
  readonly url?: string;
  /** Whether the operator has set it: then its network address is not checked. */
  readonly isSet: boolean;
}

/** Throws `BAD_INPUT` if the text is not the URL of a server. */
export function endpointOf(text: string | undefined): Endpoint {
  if (text === undefined) return { isSet: false };
  const url = text.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/?#@\s]+[^?#\s]*$/i.test(url) || !URL.canParse(url.replace('{bucket}', 'b'))) {
    throw new OrielError(
      'BAD_INPUT',
      `The endpoint of S3 is a URL such as http://localhost:9000, not ${quote(text)}. The operator of oriel has to set it.`,
    );
  }
  return { url, isSet: true };
}

export interface Addressed {
  readonly region: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
}

export function bucketUrl(endpoint: Endpoint, { region, bucket, key = '', query = {} }: Addressed): URL {
  const url = webUrl(`${baseOf(endpoint, region, bucket)}${key.split('/').map(encoded).join('/')}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // Servers verify the signature with %20 for a space, but `URLSearchParams` writes a plus.
  url.search = url.search.replaceAll('+', '%20');
  return url;
}

/** The base URL, with a slash at its end. */
function baseOf({ url }: Endpoint, region: string, bucket: string | undefined): string {
  const aws = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  if (bucket === undefined) return `${(url ?? `https://${aws}`).replace('{bucket}.', '')}/`;
  if (url?.includes('{bucket}')) return `${url.replace('{bucket}', bucket)}/`;
  if (url !== undefined) return `${url}/${encoded(bucket)}/`;
  // Bucket names with dots are not covered by the certificate, and host names have no capitals: these go into the path.
  return /^[a-z0-9-]+$/.test(bucket) ? `https://${bucket}.${aws}/` : `https://${aws}/${encoded(bucket)}/`;
}

/** Percent-encodes as signatures require. Source: "Create a signed AWS API request", UriEncode. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
