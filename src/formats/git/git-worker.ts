/** The thread that reads a repository for `git://`. It receives the repository as open descriptors. */

import { parentPort } from 'node:worker_threads';
import { isOrielError, OrielError } from '../../errors.ts';
import { DenyRules } from '../../files/deny-rules.ts';
import { HeldDirectory, pathToLatin1 } from '../../files/held-directory.ts';
import { isShortage } from '../../files/system-failure.ts';
import { GitRepository, inDirectory, type OpenDescriptor } from '../../git/objects.ts';
import { UnreadableObject } from '../../git/pack.ts';
import { GitRevisions } from '../../git/revisions.ts';
import { LOADED } from '../../process/worker-ending.ts';
import type { DenyData, DenyRule } from '../../types/access.ts';
import { findEntry } from './entries.ts';
import { logText } from './log.ts';
import type { GitFailure, GitJob, GitReply } from './protocol.ts';
import { changesText, diffBetween, showText, stateText } from './show.ts';

/** The rules of the last job, packed and compiled. */
let denied: DenyRules | undefined;

function answer({ repository: handles, top, tree, question }: GitJob): GitReply {
  if (handles.denied !== denied?.packed) {
    denied = handles.denied === undefined ? undefined : new DenyRules(JSON.parse(handles.denied) as DenyData);
  }
  const isPrivate = (path: string, isDirectory: boolean): DenyRule | undefined =>
    denied?.inside(top, path, isDirectory) ??
    (denied && tree && !isDirectory ? linkedAt(path, tree, handles.roots) : undefined);
  const repository = new GitRepository(handles);
  try {
    const context = { repository, revisions: new GitRevisions(repository), isPrivate, top, tree, handles };
    switch (question.kind) {
      case 'entry':
        return { found: findEntry(context, question) };
      case 'log':
        return { found: logText(context, question) };
      case 'show':
        return { found: showText(context, question) };
      case 'diff':
        return { found: diffBetween(context, question) };
      case 'state':
        return { found: stateText(context, question) };
      case 'changes':
        return { found: changesText(context, question) };
    }
  } catch (error) {
    if (isOrielError(error)) return { failure: failureOf(error) };
    if (!(error instanceof UnreadableObject)) throw error;
    const message = `Cannot read an object of the repository: ${error.message}.`;
    return { failure: failureOf(new OrielError('CORRUPT', message, { cause: error })) };
  } finally {
    repository.close();
  }
}

/** The rule for the file that has this path in the work tree now, if it is private under another of its names. */
function linkedAt(path: string, tree: OpenDescriptor, roots: readonly string[]): DenyRule | undefined {
  const names = pathToLatin1(path).split('/');
  const name = names.pop() ?? '';
  const top = HeldDirectory.adopt(tree.path, tree.fd);
  try {
    return inDirectory(top, names, roots.map(pathToLatin1), (directory) => directory.linkedRule(name));
  } catch (error) {
    if (isShortage(error)) throw error;
    // There is no such file now.
    return undefined;
  } finally {
    top.release();
  }
}

function failureOf({ code, message, why, next }: OrielError): GitFailure {
  return { code, message, why, next };
}

const port = parentPort;
port?.on('message', ({ job }: { job: GitJob }) => {
  const reply = answer(job);
  const bytes = 'found' in reply && reply.found?.kind === 'file' ? [reply.found.bytes.buffer] : [];
  port.postMessage({ reply, retire: false }, bytes);
});
port?.postMessage(LOADED);
