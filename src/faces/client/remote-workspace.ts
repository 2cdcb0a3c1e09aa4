/** A remote workspace behind the engine's interface: the client, with failures as the engine's errors. */

import { type ErrorCode, OrielError } from '../../errors.ts';
import { oneLine } from '../../text/visible.ts';
import type { Workspace } from '../../types/workspace.ts';
import { createClient } from './client.ts';
import type { ClientOptions } from './request.ts';
import type { ClientError } from './result.ts';

/** A sentence of the server's, for a model: no longer than this many characters. */
const MOST_WORDS = 500;

/** `tokenVariable`: the environment variable that holds its token, for the sentence when the server wants one. */
export function remoteWorkspace(options: ClientOptions, tokenVariable?: string): Workspace {
  const client = createClient(options);
  return {
    async readFileLines({ path, ...asked }) {
      const result = await client.readFileLines(path, asked);
      if (result.ok) return result.value;
      const { error } = result;
      const message = oneLine(error.message.slice(0, MOST_WORDS));
      const isRefused = error.kind === 'refused' && error.status === 401 && tokenVariable !== undefined;
      throw new OrielError(
        codeOf(error),
        isRefused ? `${message} Set ${tokenVariable} to the token of this workspace.` : message,
      );
    },
  };
}

/** What the file system there says comes as an answer: a refusal is one of the server, not of the file. */
function codeOf(error: ClientError): ErrorCode {
  if (error.kind === 'cancelled') return 'CANCELLED';
  return error.kind === 'refused' && error.status === 400 ? 'BAD_INPUT' : 'NETWORK';
}
