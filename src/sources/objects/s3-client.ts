/**
 * Requests to S3 and compatible servers, signed with aws4fetch, with error messages for refusals.
 *
 * @aws-sdk/client-s3 is not used: it has its own network layer and dozens of packages, and only two GETs would be used of
 * it. Connections, timeouts and limits must be those of access/network anyway.
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
  /** The form of the object in paths. */
  readonly name: string;
}

export interface S3Client {
  /** Identifies the server; a part of cache keys. */
  readonly endpoint: string;
  /** Resolves to a response with status below 300, 412 or 416. Throws as `Network.get` does, and a refusal for other statuses. */
  get(request: S3Request): Promise<WebResponse>;
}

/** The SHA-256 of the empty body of a GET. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The least limit for a body, because it may be an error message. */
const ERROR_BYTES = 4096;

/** The network of an instance, and the detected regions of its buckets. */
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

/** A client with the current credentials of the environment. Throws `BAD_INPUT` for invalid settings. */
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

/** The region of the bucket, if the server names another one. Source: "Redirecting requests" of the S3 documentation. */
function otherRegion({ status, headers }: WebResponse, asked: string): string | undefined {
  const told = headers['x-amz-bucket-region'];
  const isElsewhere = status === 301 || status === 307 || status === 400;
  return isElsewhere && told !== undefined && told !== asked && /^[a-z0-9-]{1,40}$/.test(told)
    ? told
    : undefined;
}

/** The additional headers that sign a GET with the given `headers`. */
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
