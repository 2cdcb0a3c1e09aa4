/**
 * Requests to S3 and compatible servers, signed with aws4fetch, with error messages for refusals.
 *
 * @aws-sdk/client-s3 is not used: it has its own network layer and dozens of packages, and only two GETs would be used of
 * it. Connections, timeouts and limits must be those of network/ anyway.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { OrielError } from '../../../../src/errors.ts';
import type { RangeRequest } from '../../../../src/formats/ranges/open.ts';
import type { NetworkAccess, WebResponse } from '../../../../src/network/fetch.ts';
import type { S3Settings } from '../../../../src/types/settings.ts';
import { oriel } from '../oriel.ts';

interface S3Request extends RangeRequest {
  /** Absent for the list of buckets. */
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
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
  readonly network: NetworkAccess;
  readonly regions: Map<string, string>;
}

const instances = new WeakMap<S3Settings, Known>();

function knownOf(settings: S3Settings): Known {
  let known = instances.get(settings);
  if (!known) {
    known = { network: oriel.createNetwork(settings), regions: new Map() };
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
    return oriel.withinTime(request, async (until) =>
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
      throw explainS3Refusal(response, { name, isSigned: credentials !== undefined });
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
  credentials: AwsCredentials,
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

// The endpoint of S3, and the URLs of buckets and objects.

interface S3Endpoint {
  /** Absent for AWS. May have `{bucket}` in its host; otherwise the bucket is the first segment of the path. */
  readonly url?: string | undefined;
  /** Whether the operator has set it: then its network address is not checked. */
  readonly isSet: boolean;
}

/** Throws `BAD_INPUT` if the text is not the URL of a server. */
function endpointOf(text: string | undefined): S3Endpoint {
  if (text === undefined) return { isSet: false };
  const url = text.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/?#@\s]+[^?#\s]*$/i.test(url) || !URL.canParse(url.replace('{bucket}', 'b'))) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      `The endpoint of S3 is a URL such as http://localhost:9000, not ${oriel.quote(text)}. The operator of oriel has to set it.`,
    );
  }
  return { url, isSet: true };
}

interface S3Location {
  readonly region: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
}

function bucketUrl(endpoint: S3Endpoint, { region, bucket, key = '', query = {} }: S3Location): URL {
  const url = oriel.webUrl(`${baseOf(endpoint, region, bucket)}${key.split('/').map(encoded).join('/')}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // Servers verify the signature with %20 for a space, but `URLSearchParams` writes a plus.
  url.search = url.search.replaceAll('+', '%20');
  return url;
}

/** The base URL, with a slash at its end. */
function baseOf({ url }: S3Endpoint, region: string, bucket: string | undefined): string {
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

// The error for a reply of S3 that is not a success: one sentence, and what to do.

interface RefusedRequest {
  /** The form of the object in paths. */
  readonly name: string;
  readonly isSigned: boolean;
}

/** The `cause` of the error for an object that does not exist. */
export const MISSING: unique symbol = Symbol('no such object');

const LOGIN =
  'The operator of oriel can set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials.';

function explainS3Refusal(response: WebResponse, refused: RefusedRequest): OrielError {
  const { status } = response;
  const { name, isSigned } = refused;
  const [code, message] = [fieldOf(response, 'Code'), fieldOf(response, 'Message')];
  const said = [String(status), code, message].filter((part) => part !== '').join(', ');
  const what = oriel.quote(name);
  if (status === 404) {
    if (code === 'NoSuchBucket') {
      return new oriel.OrielError(
        'NOT_FOUND',
        `${what} does not exist: there is no such bucket. Use s3:// for the list.`,
        {
          next: 's3://',
        },
      );
    }
    return new oriel.OrielError('NOT_FOUND', `${what} does not exist.`, { cause: MISSING });
  }
  if (status === 429 || status >= 500) {
    return new oriel.OrielError('BUSY', `The server of ${what} is busy (${said}). Use the same call later.`, {
      next: name,
    });
  }
  if (code === 'InvalidObjectState') {
    return new oriel.OrielError(
      'DENIED',
      `${what} is archived, and has to be restored before it can be read (${said}).`,
    );
  }
  if (status === 401 || status === 403) {
    const why = isSigned
      ? 'the credentials have no access to it, or are not valid.'
      : `the request was not signed, since no credentials were found. ${LOGIN}`;
    return new oriel.OrielError('DENIED', `${what} is not shown (${said}): ${why}`);
  }
  if (status >= 300 && status < 400) {
    return new oriel.OrielError(
      'REDIRECT',
      `${what} is in another region or at another endpoint (${said}), and S3 redirects are not followed. The operator of oriel can set AWS_REGION or AWS_ENDPOINT_URL.`,
    );
  }
  return new oriel.OrielError(
    'NETWORK',
    `The server answered ${what} with ${said}. Use s3:// for the list.`,
    {
      next: 's3://',
    },
  );
}

/** A field of an error reply; it is text of the server. */
function fieldOf({ body }: WebResponse, field: string): string {
  const text = Buffer.from(body.subarray(0, 4096)).toString('utf8');
  const value = new RegExp(`<${field}>([^<]{1,300})</${field}>`).exec(text)?.[1] ?? '';
  return withoutAccounts(oriel.oneLine(value).trim().replace(/\.$/, ''));
}

/** Removes identifiers of accounts and keys from error messages of AWS. */
function withoutAccounts(text: string): string {
  return text
    .replace(/arn:[^\s,;]+/gi, 'arn…')
    .replace(/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}/g, 'a key')
    .replace(/\b[0-9a-f]{64}\b/gi, 'an id')
    .replace(/(?<![\w-])\d{4}-?\d{4}-?\d{4}(?![\w-])/g, 'an account');
}

// Reads the settings of AWS tools: credentials, region and endpoint, from the environment and the user's files.

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface AwsSettings {
  /** If absent, requests are not signed. */
  readonly credentials?: AwsCredentials | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The most bytes of a settings file. */
const MAX_AWS_SETTINGS_BYTES = 1 << 20;

type Section = Readonly<Record<string, unknown>>;
type Sections = Readonly<Record<string, unknown>>;

/**
 * The current settings. The environment takes precedence over the files. Throws `BAD_INPUT` for a profile that does not
 * exist or has no keys, and for keys that no header can have.
 *
 * Source: "Configuration and credential file settings" and "Environment variables" of the AWS CLI documentation.
 */
export async function awsSettings(signal: AbortSignal): Promise<AwsSettings> {
  const profile = variable('AWS_PROFILE') ?? 'default';
  const [shared, config] = await Promise.all([
    sectionsIn(variable('AWS_SHARED_CREDENTIALS_FILE') ?? inHome('credentials'), signal),
    sectionsIn(variable('AWS_CONFIG_FILE') ?? inHome('config'), signal),
  ]);
  const ofConfig = sectionOf(config, profile === 'default' ? 'default' : `profile ${profile}`);
  const ofShared = sectionOf(shared, profile);
  const credentials =
    keysOf((name) => variable(name.toUpperCase())) ??
    keysOf((name) => settingsText(ofShared, name)) ??
    keysOf((name) => settingsText(ofConfig, name));
  if (!credentials && variable('AWS_PROFILE') !== undefined)
    throw noKeys(profile, Boolean(ofConfig ?? ofShared));
  const ignoresFiles = variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true';
  const region = variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? settingsText(ofConfig, 'region');
  const endpoint =
    variable('AWS_ENDPOINT_URL_S3') ??
    variable('AWS_ENDPOINT_URL') ??
    (ignoresFiles ? undefined : settingsText(ofConfig, 'endpoint_url'));
  return {
    ...(credentials && { credentials }),
    ...(region !== undefined && { region }),
    endpoint,
  };
}

function variable(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

const inHome = (name: string): string => join(homedir(), '.aws', name);

/** The credentials of one place (environment or profile); keys of different places are not combined. */
function keysOf(settingOf: (name: string) => string | undefined): AwsCredentials | undefined {
  const accessKeyId = settingOf('aws_access_key_id');
  const secretAccessKey = settingOf('aws_secret_access_key');
  const sessionToken = settingOf('aws_session_token');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  // What refuses such a header shows it in its error.
  if (!/^[!-~]*$/.test(`${accessKeyId}${sessionToken ?? ''}`)) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      'The access key or the session token of AWS has a space or another character that none has. The operator of oriel has to set it again.',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

/** Empty if the file does not exist. */
async function sectionsIn(path: string, signal: AbortSignal): Promise<Sections> {
  try {
    const opened = await oriel.settingsAccess(path).open(path, signal);
    try {
      if (opened.kind !== 'file') return {};
      const { parse } = await import('ini');
      const text = Buffer.from(await oriel.readAt(opened.bytes, 0, MAX_AWS_SETTINGS_BYTES, signal)).toString(
        'utf8',
      );
      return parse(quoted(text));
    } finally {
      await opened.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (oriel.isOrielError(error)) return {};
    throw error;
  }
}

/** Quotes all values, because for the library `#` begins a comment and `true` is a boolean, but not for AWS. */
function quoted(text: string): string {
  return text.replaceAll(
    /^([^\S\n]*[^\s#;[=][^=\n]*)=(.*)$/gm,
    (_, name: string, value: string) => `${name}=${JSON.stringify(MARK + value.trim())}`,
  );
}

/** A prefix of each value. */
const MARK = '=';

/** Finds a section. The library turns names with dots into nested sections. */
function sectionOf(sections: Sections, name: string): Section | undefined {
  const found = name
    .split('.')
    .reduce<unknown>((inner, part) => (inner as Sections | undefined)?.[part], sections);
  return typeof found === 'object' && found !== null ? (found as Section) : undefined;
}

function settingsText(section: Section | undefined, name: string): string | undefined {
  const value = section && Object.hasOwn(section, name) ? section[name] : undefined;
  return typeof value === 'string' && value.length > MARK.length ? value.slice(MARK.length) : undefined;
}

function noKeys(profile: string, exists: boolean): OrielError {
  const why = exists
    ? `holds no keys: a role, a sign-on or a command is not used here. The operator of oriel can put keys into the environment, as \`aws configure export-credentials --format env\` prints them`
    : 'does not exist. The operator of oriel must set or remove it';
  return new oriel.OrielError('BAD_INPUT', `The profile ${oriel.quote(profile)} of AWS_PROFILE ${why}.`);
}
