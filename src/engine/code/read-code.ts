/** Answers questions about code: `src:outline`, `src:#name`, `src:#name:refs`, `file.ts:refs`. */

import { dirname, join } from 'node:path';
import { OrielError } from '../../errors.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, Subject } from '../../types/resource.ts';
import { nameable } from '../nameable.ts';
import { answerDefinitions, type Redirect } from './answer-definitions.ts';
import { answerMap } from './answer-map.ts';
import { answerImporters, answerUses } from './answer-uses.ts';
import { CodeBelow } from './code-below.ts';
import type { CodeFiles } from './code-files.ts';
import type { Context } from './context.ts';
import { filesBelow } from './files-below.ts';
import { namesShownIn } from './shown-names.ts';

/** The files that a question is about. */
export interface AskedPlace {
  readonly files: CodeFiles;
  /** The directory or archive as the caller typed it. */
  readonly typed: string;
  /** The path in `files` of the one file that the question is about; absent for questions about all. */
  readonly file?: string;
  /** The form in which a path of `files` is shown. */
  shown(path: string): string;
}

export type CodeAnswer = { readonly resource: Resource } | Redirect;

/** The answer as a resource, or a redirect to the lines that answer the question. */
export async function answerCode(subject: Subject, asked: AskedOfCode, call: Call): Promise<CodeAnswer> {
  const { directory, typed, file } = await directoryOf(subject, call);
  const files = await filesBelow(directory, call);
  const shown = namesShownIn(typed, call);
  return answerAt({ files, typed, shown, ...(file !== undefined && { file }) }, asked, call);
}

export async function answerAt(
  { files, typed, shown, file }: AskedPlace,
  asked: AskedOfCode,
  call: Call,
): Promise<CodeAnswer> {
  const context: Context = { code: await CodeBelow.look(files, call), typed, call, shown };
  switch (asked.is) {
    case 'map':
      return { resource: await answerMap(asked, context) };
    case 'definitions':
      return answerDefinitions(asked, context);
    case 'uses':
      return { resource: await answerUses(asked, file, context) };
    case 'importers':
      return { resource: await answerImporters(asked, file ?? '', context) };
  }
}

/** For a file, the directory is the working directory or the root that contains it; `file` is the path below that. */
async function directoryOf(
  { opened, path, typed }: Subject,
  call: Call,
): Promise<{ directory: OpenedDirectory; typed: string; file?: string }> {
  if (opened.is === 'directory') return { directory: opened, typed };
  const { cwd, roots } = call.access;
  const real = async (one: string): Promise<OpenedDirectory | undefined> => {
    const found = await call.access.open(one, call.signal).catch(() => undefined);
    if (!found) return undefined;
    call.onEnd(() => found.close());
    return found.is === 'directory' && path.startsWith(join(found.path, '/')) ? found : undefined;
  };
  for (const one of [cwd, ...roots, dirname(path)]) {
    const directory = await real(one);
    if (!directory) continue;
    return { directory, typed: nameable(one, call), file: path.slice(join(directory.path, '/').length) };
  }
  throw new OrielError('NOT_FOUND', `The directory of ${quote(typed)} does not exist any more.`, {
    next: '.',
  });
}
