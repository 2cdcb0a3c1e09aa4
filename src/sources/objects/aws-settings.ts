/** Reads the settings of AWS tools: credentials, region and endpoint, from the environment and the user's files. */

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
  /** If absent, requests are not signed. */
  readonly credentials?: Credentials;
  readonly region?: string;
  readonly endpoint?: string;
}

/** The most bytes of a settings file. */
const MOST_BYTES = 1 << 20;

type Section = Readonly<Record<string, unknown>>;
type Sections = Readonly<Record<string, unknown>>;

/**
 * The current settings. The environment takes precedence over the files. Throws `BAD_INPUT` for a profile that does not
 * exist or has no keys.
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
    keysOf((name) => textOf(ofShared, name)) ??
    keysOf((name) => textOf(ofConfig, name));
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

/** The credentials of one place (environment or profile); keys of different places are not combined. */
function keysOf(settingOf: (name: string) => string | undefined): Credentials | undefined {
  const accessKeyId = settingOf('aws_access_key_id');
  const secretAccessKey = settingOf('aws_secret_access_key');
  const sessionToken = settingOf('aws_session_token');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

/** Empty if the file does not exist. */
async function sectionsIn(path: string, signal: AbortSignal): Promise<Sections> {
  try {
    const opened = await settingsAccess(path).open(path, signal);
    try {
      if (opened.is !== 'file') return {};
      const { parse } = await import('ini');
      const text = Buffer.from(await readAt(opened.bytes, 0, MOST_BYTES, signal)).toString('utf8');
      return parse(quoted(text));
    } finally {
      await opened.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isOrielError(error)) return {};
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

function textOf(section: Section | undefined, name: string): string | undefined {
  const value = section && Object.hasOwn(section, name) ? section[name] : undefined;
  return typeof value === 'string' && value.length > MARK.length ? value.slice(MARK.length) : undefined;
}

function noKeys(profile: string, exists: boolean): OrielError {
  const why = exists
    ? `holds no keys: a role, a sign-on or a command is not used here. The operator of oriel can put keys into the environment, as \`aws configure export-credentials --format env\` prints them`
    : 'does not exist. The operator of oriel must set or remove it';
  return new OrielError('BAD_INPUT', `The profile ${quote(profile)} of AWS_PROFILE ${why}.`);
}
