/** What the AWS command line and the SDKs are set to: credentials, region and endpoint, from the environment and the user's files. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { readAt } from '../../access/bytes.ts';
import { settingsAccess } from '../../access/user-settings.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface AwsSettings {
  /** Absent where there are none: requests are not signed then. */
  readonly credentials?: Credentials;
  readonly region?: string;
  readonly endpoint?: string;
}

/** Bytes of a file of settings. */
const MOST_BYTES = 1 << 20;

type Section = Readonly<Record<string, unknown>>;
type Sections = Readonly<Record<string, unknown>>;

/**
 * As they are now. The environment wins over the files. Throws `BAD_INPUT` for a profile that does not exist or holds no
 * keys.
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
  const credentials = ofEnvironment() ?? keysOf({ ...ofConfig, ...ofShared });
  if (!credentials && variable('AWS_PROFILE') !== undefined)
    throw noKeys(profile, Boolean(ofConfig ?? ofShared));
  const ignoresFiles = variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true';
  const region = variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? textOf(ofConfig, 'region');
  const endpoint =
    variable('AWS_ENDPOINT_URL_S3') ??
    variable('AWS_ENDPOINT_URL') ??
    (ignoresFiles ? undefined : textOf(ofConfig, 'endpoint_url'));
  return {
    ...(credentials && { credentials }),
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
  };
}

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}

const inHome = (name: string): string => join(homedir(), '.aws', name);

function ofEnvironment(): Credentials | undefined {
  return keysOf({
    aws_access_key_id: variable('AWS_ACCESS_KEY_ID'),
    aws_secret_access_key: variable('AWS_SECRET_ACCESS_KEY'),
    aws_session_token: variable('AWS_SESSION_TOKEN'),
  });
}

function keysOf(section: Section): Credentials | undefined {
  const accessKeyId = textOf(section, 'aws_access_key_id');
  const secretAccessKey = textOf(section, 'aws_secret_access_key');
  const sessionToken = textOf(section, 'aws_session_token');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

/** Empty for a file that is not there. */
async function sectionsIn(path: string, signal: AbortSignal): Promise<Sections> {
  try {
    const opened = await settingsAccess(path).open(path, signal);
    try {
      if (opened.is !== 'file') return {};
      const { parse } = await import('ini');
      return parse(Buffer.from(await readAt(opened.bytes, 0, MOST_BYTES, signal)).toString('utf8'));
    } finally {
      await opened.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isOrielError(error)) return {};
    throw error;
  }
}

/** The library makes sections in sections of names with a dot. */
function sectionOf(sections: Sections, name: string): Section | undefined {
  const found = name
    .split('.')
    .reduce<unknown>((inner, part) => (inner as Sections | undefined)?.[part], sections);
  return typeof found === 'object' && found !== null ? (found as Section) : undefined;
}

function textOf(section: Section | undefined, name: string): string | undefined {
  const value = section && Object.hasOwn(section, name) ? section[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function noKeys(profile: string, exists: boolean): OrielError {
  const why = exists
    ? `holds no keys: a role, a sign-on or a command is not used here. Whoever runs oriel can put keys into the environment, as \`aws configure export-credentials --format env\` prints them`
    : 'does not exist. Whoever runs oriel sets or removes it';
  return new OrielError('BAD_INPUT', `The profile ${quote(profile)} of AWS_PROFILE ${why}.`);
}
