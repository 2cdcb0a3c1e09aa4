/** The error for a reply of S3 that is not a success: one sentence, and what to do. */

import type { WebResponse } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';

export interface Refused {
  /** The form of the object in paths. */
  readonly name: string;
  readonly isSigned: boolean;
}

/** The `cause` of the error for an object that does not exist. */
export const MISSING: unique symbol = Symbol('no such object');

const LOGIN =
  'The operator of oriel can set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials.';

export function refusalOf(response: WebResponse, refused: Refused): OrielError {
  const { status } = response;
  const { name, isSigned } = refused;
  const [code, message] = [fieldOf(response, 'Code'), fieldOf(response, 'Message')];
  const said = [String(status), code, message].filter((part) => part !== '').join(', ');
  const what = quote(name);
  if (status === 404) {
    if (code === 'NoSuchBucket') {
      return new OrielError(
        'NOT_FOUND',
        `${what} does not exist: there is no such bucket. Use s3:// for the list.`,
        {
          next: 's3://',
        },
      );
    }
    return new OrielError('NOT_FOUND', `${what} does not exist.`, { cause: MISSING });
  }
  if (status === 429 || status >= 500) {
    return new OrielError('BUSY', `The server of ${what} is busy (${said}). Use the same call later.`, {
      next: name,
    });
  }
  if (code === 'InvalidObjectState') {
    return new OrielError(
      'DENIED',
      `${what} is archived, and has to be restored before it can be read (${said}).`,
    );
  }
  if (status === 401 || status === 403) {
    const why = isSigned
      ? 'the credentials have no access to it, or are not valid.'
      : `the request was not signed, since no credentials were found. ${LOGIN}`;
    return new OrielError('DENIED', `${what} is not shown (${said}): ${why}`);
  }
  if (status >= 300 && status < 400) {
    return new OrielError(
      'REDIRECT',
      `${what} is in another region or at another endpoint (${said}), and S3 redirects are not followed. The operator of oriel can set AWS_REGION or AWS_ENDPOINT_URL.`,
    );
  }
  return new OrielError('NETWORK', `The server answered ${what} with ${said}. Use s3:// for the list.`, {
    next: 's3://',
  });
}

/** A field of an error reply; it is text of the server. */
function fieldOf({ body }: WebResponse, field: string): string {
  const text = Buffer.from(body.subarray(0, 4096)).toString('utf8');
  const value = new RegExp(`<${field}>([^<]{1,300})</${field}>`).exec(text)?.[1] ?? '';
  return withoutAccounts(oneLine(value).trim().replace(/\.$/, ''));
}

/** Removes identifiers of accounts and keys from error messages of AWS. */
function withoutAccounts(text: string): string {
  return text
    .replace(/arn:[^\s,;]+/gi, 'arn…')
    .replace(/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}/g, 'a key')
    .replace(/\b[0-9a-f]{64}\b/gi, 'an id')
    .replace(/(?<![\w-])\d{4}-?\d{4}-?\d{4}(?![\w-])/g, 'an account');
}
