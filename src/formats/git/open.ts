/** Opens `git://` URLs and `REV:path`: files and directories at a revision of the repository of the working directory. */

import { join, relative, sep } from 'node:path';
import { isOrielError, OrielError } from '../../errors.ts';
import { builtFile, sha256Of } from '../../files/package-files.ts';
import type { OpenDescriptor } from '../../git/objects.ts';
import { type OpenedRepository, openRepository } from '../../git/repository.ts';
import { Identity } from '../../identity.ts';
import { WorkerPool } from '../../process/worker-threads.ts';
import { callerOf } from '../../queues/caller.ts';
import { queues } from '../../queues/queue-table.ts';
import { plural } from '../../render/display.ts';
import { detachedFile, memoryBytes } from '../../text/bytes.ts';
import { HEAD_BYTES } from '../../text/encoding.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource } from '../../types/call.ts';
import { asImmutable, textListing } from '../resources/names.ts';
import { selectionOf } from '../text/open.ts';
import type {
  FoundEntry,
  FoundFile,
  FoundText,
  FoundTree,
  GitJob,
  GitQuestion,
  GitReply,
} from './protocol.ts';
import { type GitTextRequest, revisionUrl, textRequest, waysOfRevisionPath, waysOfUrl } from './select.ts';

/** The timeout of the thread in milliseconds. */
const WITHIN_MS = 20_000;

const threads = new WorkerPool<GitJob, GitReply>({
  entry: builtFile('formats/git/git-worker.js'),
  queue: queues.repositories,
  idleMs: 10_000,
  heapMb: 192,
});

/** Throws OrielError. */
export async function openGit(typed: string, call: Call): Promise<Resource> {
  const repository = await repositoryHere(call);
  if (!repository) {
    const where = call.access.roots.length > 0 ? ' inside the roots' : '';
    const message = `There is no .git in the working directory or above it${where}. Use . to list the working directory.`;
    throw new OrielError('NOT_FOUND', message, { next: '.' });
  }
  const request = textRequest(typed, call.now());
  if (request) return presentText(request, repository, call);
  // `git://?q` and `git://:path` are of HEAD.
  const ways = waysOfUrl(/^[:?]/.test(typed) ? `HEAD${typed}` : typed);
  const found = await ask(repository, { kind: 'entry', ways, isGuess: false }, call);
  return present(found as FoundEntry, repository, call);
}

/** Opens `REV:path`. Undefined if there is no repository, or no such revision in it. Throws OrielError. */
export async function openRevisionPath(typed: string, call: Call): Promise<Resource | undefined> {
  const repository = await repositoryHere(call).catch(() => undefined);
  call.signal.throwIfAborted();
  if (!repository) return undefined;
  const front = relative(repository.top, await here(call))
    .split(sep)
    .join('/');
  const ways = waysOfRevisionPath(typed, front);
  const found = await ask(repository, { kind: 'entry', ways, isGuess: true }, call);
  return found && present(found as FoundEntry, repository, call);
}

async function repositoryHere(call: Call): Promise<OpenedRepository | undefined> {
  const repository = await openRepository(await here(call), call);
  if (repository) call.onEnd(() => repository.close());
  return repository;
}

/** The real path of the working directory. */
async function here({ access, signal }: Call): Promise<string> {
  const opened = await access.open(access.cwd, signal);
  await opened.close();
  return opened.path;
}

async function ask(
  repository: OpenedRepository,
  question: GitQuestion,
  call: Call,
): Promise<FoundEntry | FoundText | undefined> {
  const { signal, deadline } = call;
  const claim = { signal, caller: callerOf(signal) };
  const { top } = repository;
  const handles = await repository.handles();
  const isOfTree = question.kind === 'state' || question.kind === 'changes';
  const tree = isOfTree || handles.denied !== undefined ? await openTree(top, call) : undefined;
  const job = { repository: handles, top, tree, question };
  const reply = await threads.lend(claim, (thread) =>
    thread(job, Math.min(deadline, performance.now() + WITHIN_MS), signal),
  );
  if ('found' in reply) return reply.found;
  const { code, message, why, next } = reply.failure;
  const missing = code === 'NOT_FOUND' ? repository.refused : [];
  throw new OrielError(code, [message, ...missing.map((sentence) => `${sentence}.`)].join(' '), {
    why,
    next,
  });
}

async function openTree(top: string, { access, signal, onEnd }: Call): Promise<OpenDescriptor | undefined> {
  const opened = await access.open(top, signal);
  onEnd(() => opened.close());
  return opened.kind === 'directory' ? { path: opened.path, fd: opened.fd } : undefined;
}

function present(found: FoundEntry, repository: OpenedRepository, call: Call): Promise<Resource> {
  return found.kind === 'file' ? presentFile(found, repository, call) : presentDirectory(found, repository);
}

/** A file at a revision, by the source of its kind. */
async function presentFile(
  found: FoundFile,
  { top, refused }: OpenedRepository,
  call: Call,
): Promise<Resource> {
  const { path, rest, id, commit, isLink, bytes } = found;
  const target = revisionUrl(found);
  // What is at the path now may be another name of a private file.
  await call.access.open(join(top, path), call.signal).then(
    (there) => there.close(),
    (error: unknown) => {
      call.signal.throwIfAborted();
      if (isOrielError(error) && error.code === 'PRIVATE') throw error;
    },
  );
  const name = path.slice(path.lastIndexOf('/') + 1);
  const head = bytes.subarray(0, HEAD_BYTES);
  const resource = await call.open({
    typed: target,
    rest,
    name,
    path: target,
    // The thread has compared the id with the bytes.
    opened: detachedFile(target, memoryBytes(bytes, Identity.of('git', { id }))),
    head,
  });
  const isPointer = Buffer.from(head.subarray(0, 64)).toString('latin1').startsWith(LFS_POINTER);
  const said = [
    ...(isLink ? [`${quote(target)} is a symbolic link: this is the path to which it leads`] : []),
    ...(isPointer
      ? ['This is what Git LFS keeps in the repository: the file itself is stored elsewhere']
      : []),
    ...refused,
  ];
  return asImmutable(resource, 'internal', { commit, path, id }, said);
}

/** A log or a diff. */
async function presentText(
  { question, rest }: GitTextRequest,
  repository: OpenedRepository,
  call: Call,
): Promise<Resource> {
  const { target, bytes, notes } = (await ask(repository, question, call)) as FoundText;
  const said = notes.map(({ text, use }) => ({ kind: 'said', text, use }) as const);
  const name = question.kind === 'log' || question.kind === 'state' ? question.kind : 'diff';
  return {
    kind: 'text',
    format: 'internal',
    bytes: memoryBytes(bytes, Identity.of('git text', { sha256: await sha256Of(bytes) })),
    encoding: 'stored',
    selection: selectionOf({ typed: target, rest }),
    target,
    name,
    display: 'plain',
    editable: false,
    mayEndBefore: (line, previous) =>
      line.startsWith('diff --git ') || (line.startsWith('@@ ') && !previous.startsWith('+++ ')),
    more: said.find(({ use }) => use !== undefined),
    notes: [
      ...said.filter(({ use }) => use === undefined),
      ...repository.refused.map((text): Notice => ({ kind: 'said', text })),
    ],
  };
}

const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n';

async function presentDirectory(found: FoundTree, { refused }: OpenedRepository): Promise<Resource> {
  const { path, rest, commit, lines, unnamed } = found;
  const listing = await textListing(
    lines.length > 0 ? lines : ['(empty directory)'],
    revisionUrl(found),
    rest,
  );
  const left = unnamed > 0 ? [`${plural(unnamed, 'name')} left out: not UTF-8`] : [];
  return asImmutable(listing, 'internal', { commit, path, entries: lines.length }, [...left, ...refused]);
}
