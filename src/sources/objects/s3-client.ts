/**
 * Requests to S3 and to what speaks its protocol, signed by aws4fetch, with a sentence for each refusal.
 *
 * Not an SDK (@aws-sdk/client-s3 has a separate network and dozens of packages): of it two GETs would
 * be used, and the connection, its deadline and its limits have to be those of access/network anyway.
 */

import { createNetwork, type Network, type WebResponse } from '../../access/network/fetch.ts';
import type { S3Settings } from '../../types/settings.ts';
import { awsSettings, type Credentials } from './aws-settings.ts';
import type { Ask } from './open-ranges.ts';
import { withinTime } from './request-time.ts';
import { bucketUrl, endpointOf } from './s3-address.ts';
import { refusalOf } from './s3-refusal.ts';

export interface S3Request extends Ask {
  /** Absent for the list of buckets. */
  readonly bucket?: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** As it is called in a path. */
  readonly name: string;
}

export interface S3Client {
  /** What tells its objects from those of other servers. */
  readonly endpoint: string;
  /** Answers with a status below 300, 412 or 416. Throws what `Network.get` throws, and a refusal for all others. */
  get(request: S3Request): Promise<WebResponse>;
}

/** SHA-256 of no bytes: the body of a GET. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Bytes of a body that may be an error. */
const ERROR_BYTES = 4096;

/** One network for all calls of an instance, and the regions that its buckets turned out to be in. */
interface Known {
  readonly network: Network;
  readonly regions: Map<string, string>;
}

const instances = new WeakMap<S3Settings, Known>();

function knownOf(settings: S3Settings): Known {
  let known = instances.get(settings);
  if (!known) {
    known = { network: createNetwork(settings), regions: new Map() };
    instances.set(settings, known);
  }
  return known;
}

/** With the credentials that the environment has now. Throws `BAD_INPUT` for settings that cannot work. */
export async function s3Client(settings: S3Settings, signal: AbortSignal): Promise<S3Client> {
  const { credentials, ...found } = await awsSettings(signal);
  const { network, regions } = knownOf(settings);
  const endpoint = endpointOf(settings.endpoint ?? found.endpoint);
  const usual = settings.region ?? found.region ?? 'us-east-1';
  const send = async (request: S3Request, region: string): Promise<WebResponse> => {
    const { bucket, key, query } = request;
    const url = bucketUrl(endpoint, { region, bucket, key, query });
    const headers = { ...request.headers, 'x-amz-content-sha256': EMPTY_SHA256 };
    return withinTime(request, async (until) =>
      network.get(url.href, {
        headers: request.headers,
        credentials: credentials ? await signed(url, headers, credentials, region) : {},
        trusted: endpoint.isSet,
        follow: false,
        stored: true,
        signal: until,
        mostBytes: () => Math.max(request.mostBytes, ERROR_BYTES),
      }),
    );
  };
  return {
    endpoint: endpoint.url ?? 'aws',
    async get(request) {
      const { bucket = '', name } = request;
      const region = regions.get(bucket) ?? usual;
      const first = await send(request, region);
      const other = otherRegion(first, region);
      if (other !== undefined) regions.set(bucket, other);
      const response = other === undefined ? first : await send(request, other);
      const { status } = response;
      if (status < 300 || status === 412 || status === 416) return response;
      throw refusalOf(response, { name, isSigned: credentials !== undefined });
    },
  };
}

/** The region in which the server says that a bucket is. Source: "Redirecting requests" of the S3 documentation. */
function otherRegion({ status, headers }: WebResponse, asked: string): string | undefined {
  const told = headers['x-amz-bucket-region'];
  const isElsewhere = status === 301 || status === 307 || status === 400;
  return isElsewhere && told !== undefined && told !== asked && /^[a-z0-9-]{1,40}$/.test(told)
    ? told
    : undefined;
}

/** The headers that sign a GET, other than those that are given. */
async function signed(
  url: URL,
  headers: Readonly<Record<string, string>>,
  credentials: Credentials,
  region: string,
): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    method: 'GET',
    url: url.href,
    headers,
    ...credentials,
    service: 's3',
    region,
  });
  const request = await signer.sign();
  return Object.fromEntries(request.headers);
}
