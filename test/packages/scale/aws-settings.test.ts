import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { awsSettings } from '../../../packages/scale/src/s3/client.ts';
import '../../support/scale.ts';
import { temporaryFolder } from '../../support/commands.ts';

let directory = '';
beforeEach(() => {
  directory = join(temporaryFolder(), '.aws');
  mkdirSync(directory);
  const keys = 'ACCESS_KEY_ID SECRET_ACCESS_KEY SESSION_TOKEN'.split(' ');
  for (const name of [...keys, ...'PROFILE REGION DEFAULT_REGION ENDPOINT_URL ENDPOINT_URL_S3'.split(' ')])
    vi.stubEnv(`AWS_${name}`, '');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(directory, 'credentials'));
  vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'config'));
});

const settings = async (files: Record<string, string>): Promise<Awaited<ReturnType<typeof awsSettings>>> => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return awsSettings(new AbortController().signal);
};

test.each([
  'abc#def',
  'abc;def',
  'abc #def',
  '#abc',
  ';abc',
  'a\\b',
  'a\\#b',
  'a=b==',
  "it's",
  'say "it"',
  'true',
  'null',
  '12e3',
])('a secret may have any character, as in AWS: %s', async (secret) => {
  const { credentials, region } = await settings({
    credentials: `# a comment\n; another\n[default]\naws_access_key_id = KEY\n  aws_secret_access_key = ${secret}\n`,
    config: `[default]\n#region = no\nregion=eu-x\r\n`,
  });
  expect(credentials).toEqual({ accessKeyId: 'KEY', secretAccessKey: secret });
  expect(region).toBe('eu-x');
});

test.each([
  { AWS_ACCESS_KEY_ID: 'AKIA\nHIDDEN', AWS_SESSION_TOKEN: 'token' },
  { AWS_ACCESS_KEY_ID: 'KEY', AWS_SESSION_TOKEN: 'HIDDEN\nlines' },
  { AWS_ACCESS_KEY_ID: 'KEY', AWS_SESSION_TOKEN: 'HIDDEN☃' },
])('keys that no header can have are refused, and not shown: %j', async (keys) => {
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const error = await settings({}).catch((reason: Error) => reason);
  expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.not.stringMatching(/HIDDEN|secret/) });
});

test('the end of a line behind a key in the environment is no part of it', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'KEY\n');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret\n');
  expect((await settings({})).credentials).toEqual({ accessKeyId: 'KEY', secretAccessKey: 'secret' });
});

test('both keys come from one file, first from the credentials', async () => {
  const old = '[default]\naws_access_key_id = OLD\naws_secret_access_key = old\naws_session_token = token\n';
  const own = '[default]\naws_access_key_id = NEW\naws_secret_access_key = new\n';
  expect((await settings({ credentials: own, config: old })).credentials).toEqual({
    accessKeyId: 'NEW',
    secretAccessKey: 'new',
  });
  expect((await settings({ credentials: '[default]\n', config: old })).credentials).toEqual({
    accessKeyId: 'OLD',
    secretAccessKey: 'old',
    sessionToken: 'token',
  });
  vi.stubEnv('AWS_PROFILE', 'default');
  const half = '[default]\naws_access_key_id = NEW\n';
  expect((await settings({ credentials: half, config: own })).credentials?.accessKeyId).toBe('NEW');
});
