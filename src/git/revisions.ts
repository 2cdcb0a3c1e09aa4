/** Finds the commit that a revision names: `main`, `v1.2~3^2`, `HEAD`, an abbreviated id. Source: gitrevisions(7). */

import { OrielError } from '../errors.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { GitRepository } from './objects.ts';
import { type GitObject, UnreadableObject } from './pack.ts';
import { type GitCommit, parseCommit } from './trees.ts';

const MAX_REVISION_CHARACTERS = 512;

/** Maximum bytes of a ref, and of `packed-refs` and `shallow`. */
const MAX_REF_BYTES = 4_096;
const MAX_REF_LIST_BYTES = 64 << 20;

/** Maximum commits that one `~N` goes back. */
const MAX_STEPS = 1_000_000;

/** Maximum refs that are compared with an unknown name. */
const MAX_COMPARED_REFS = 2_000;

/** Maximum symbolic refs, or tags of tags, on the way to a commit. */
const MAX_INDIRECTIONS = 8;

export interface FoundCommit extends GitCommit {
  readonly id: Buffer;
}

export class GitRevisions {
  readonly #repository: GitRepository;
  #packed: string | undefined;
  #shallow: ReadonlySet<string> | undefined;

  constructor(repository: GitRepository) {
    this.#repository = repository;
    if (repository.config.get('extensions.refstorage')?.toLowerCase() === 'reftable') {
      throw new OrielError('UNSUPPORTED', 'The refs of this repository are a reftable, which is not read.');
    }
  }

  /** The commit that `typed` names. Undefined if no ref and no id has this name. Throws OrielError. */
  find(typed: string): FoundCommit | undefined {
    if (typed.length > MAX_REVISION_CHARACTERS) return undefined;
    if (/@\{/.test(typed)) {
      const message = `${quote(typed)}: the reflog and upstream branches (@{…}) are not read. Use the name of a branch, or HEAD~N.`;
      throw new OrielError('UNSUPPORTED', message, { next: 'git://HEAD' });
    }
    const [, name = '', steps = ''] = /^([^~^]+)((?:[~^]\d*|\^\{(?:commit)?\})*)$/.exec(typed) ?? [];
    const id = name === '' ? undefined : this.#idOf(name);
    let at = id && this.#peeled(id, typed);
    for (const [, mark, digits] of steps.matchAll(/([~^])(\d*)(?!\{)/g)) {
      if (!at) break;
      const count = digits === '' ? 1 : Number(digits);
      if (mark === '^') at = this.#parent(at, count, typed);
      else for (let i = 0; i < Math.min(count, MAX_STEPS); i += 1) at = this.#parent(at, 1, typed);
    }
    return at;
  }

  /** Throws `NOT_FOUND`, with similar names, if there is no such revision. */
  commit(typed: string): FoundCommit {
    const found = this.find(typed);
    if (found) return found;
    if (typed === 'HEAD' || typed === '@') {
      throw new OrielError('NOT_FOUND', 'HEAD has no commit yet. Use . for the working directory.', {
        next: '.',
      });
    }
    const names = ['heads', 'tags', 'remotes'].flatMap((kind) => this.namesIn(`refs/${kind}`));
    const [near] = nearNames(typed, ['HEAD', ...names, 'diff', 'log'], 1);
    const hint = near === undefined ? '' : didYouMean([quote(near)]);
    const next = `git://${near ?? 'HEAD'}`;
    const why = `${quote(typed)} is not a branch, a tag or the id of a commit here.`;
    throw new OrielError('NOT_FOUND', `${why}${hint} Use ${quote(next)}.`, { next });
  }

  /** The parents, as far as the clone has them. */
  parentsOf({ id, parents }: FoundCommit): readonly Buffer[] {
    this.#shallow ??= new Set(
      (this.#repository.text('shallow', MAX_REF_LIST_BYTES, 'common') ?? '').split('\n'),
    );
    return this.#shallow.has(id.toString('hex')) ? [] : parents;
  }

  /** The names of the refs below `front`, without it: at most 2,000. */
  namesIn(front: string): string[] {
    const packed = this.#packedRefs().matchAll(new RegExp(`^[0-9a-f]{40,64} ${front}/(.+)$`, 'gm'));
    const names = new Set(this.#repository.filesBelow(front, MAX_COMPARED_REFS));
    for (const [, name = ''] of packed) {
      if (names.size >= MAX_COMPARED_REFS) break;
      names.add(name);
    }
    return [...names].map((name) => Buffer.from(name, 'latin1').toString('utf8')).toSorted();
  }

  /** The id of a ref by its full name, and the last ref on the way to it. */
  ref(name: string, depth = 0): { readonly name: string; readonly id: string | undefined } {
    const parts = name.split('/');
    const isValid = parts.every((part) => part !== '' && !part.startsWith('.') && !part.includes('\0'));
    if (!isValid || depth > MAX_INDIRECTIONS) return { name, id: undefined };
    const isOwn = !name.startsWith('refs/') || /^refs\/(?:bisect|worktree|rewritten)\//.test(name);
    const path = Buffer.from(name).toString('latin1');
    const text = this.#repository.text(path, MAX_REF_BYTES, isOwn ? 'git' : 'common') ?? '';
    const next = /^ref:\s*([^\0\n]+?)\s*$/.exec(text)?.[1];
    if (next !== undefined) return this.ref(Buffer.from(next, 'latin1').toString('utf8'), depth + 1);
    const id = this.#idIn(text.split('\n')[0] ?? '');
    if (id !== undefined) return { name, id };
    const packed = this.#packedRefs();
    const at = packed.indexOf(` ${path}\n`);
    const size = 2 * this.#repository.idBytes;
    return { name, id: at < size ? undefined : this.#idIn(packed.slice(at - size, at)) };
  }

  /** The object as a commit. Throws OrielError if it cannot be read. */
  read(id: Buffer, shown: string = id.toString('hex')): FoundCommit {
    const object = this.object(id, shown);
    const commit = object.kind === 'commit' ? parseCommit(object.bytes) : undefined;
    if (commit) return { ...commit, id };
    const why = `${quote(shown)} is not a commit but a ${object.kind}.`;
    throw new OrielError('BAD_PATH', `${why} Use git://HEAD.`, { next: 'git://HEAD' });
  }

  /** Throws OrielError if it cannot be read. */
  object(id: Buffer, shown: string): GitObject {
    let found: GitObject | undefined;
    const object = `the object ${id.toString('hex')} of ${quote(shown)}`;
    try {
      found = this.#repository.read(id);
    } catch (error) {
      if (!(error instanceof UnreadableObject)) throw error;
      const code = error.message.includes('MiB') ? 'LIMIT' : 'CORRUPT';
      throw new OrielError(code, `Cannot read ${object}: ${error.message}.`, { cause: error });
    }
    if (found) return found;
    const why = this.#repository.isPartial ? ': it was left out of this partial clone' : '';
    throw new OrielError('NOT_FOUND', `This repository does not have ${object}${why}.`);
  }

  #packedRefs(): string {
    return (this.#packed ??= this.#repository.text('packed-refs', MAX_REF_LIST_BYTES, 'common') ?? '');
  }

  #idIn(text: string): string | undefined {
    const id = text.trim();
    return /^[0-9a-f]+$/.test(id) && id.length === 2 * this.#repository.idBytes ? id : undefined;
  }

  /** In the order of git: a whole id, a ref by the first of its possible full names, an abbreviated id. */
  #idOf(name: string): Buffer | undefined {
    const whole = this.#idIn(name.toLowerCase());
    if (whole !== undefined) return Buffer.from(whole, 'hex');
    const full = name === '@' ? 'HEAD' : name;
    const names = [
      ...(/^(?:[A-Z][A-Z_]*|refs\/.*)$/.test(full) ? [full] : []),
      ...['', 'tags/', 'heads/', 'remotes/'].map((kind) => `refs/${kind}${full}`),
      `refs/remotes/${full}/HEAD`,
    ];
    for (const one of names) {
      const { id } = this.ref(one);
      if (id !== undefined) return Buffer.from(id, 'hex');
    }
    // `v1.2-5-gabc1234` of git describe.
    const digits = /^(?:.+-g)?([0-9a-f]{4,64})$/i.exec(name)?.[1]?.toLowerCase();
    return digits === undefined ? undefined : this.#abbreviated(digits, name);
  }

  #abbreviated(digits: string, typed: string): Buffer | undefined {
    const all = this.#repository.idsWith(digits);
    const isCommit = (id: string): boolean => {
      const { kind } = this.object(Buffer.from(id, 'hex'), typed);
      return kind === 'commit' || kind === 'tag';
    };
    const commits = all.length > 1 ? all.filter(isCommit) : all;
    const [only, ...others] = commits.length > 0 ? commits : all;
    if (others.length === 0) return only === undefined ? undefined : Buffer.from(only, 'hex');
    const next = `git://${only}`;
    throw new OrielError(
      'BAD_PATH',
      `${quote(typed)} is the beginning of several ids: ${commits.join(', ')}. Use one of them.`,
      { next },
    );
  }

  /** The commit of a tag. */
  #peeled(id: Buffer, typed: string): FoundCommit {
    let at = id;
    for (let i = 0; i < MAX_INDIRECTIONS; i += 1) {
      const { kind, bytes } = this.object(at, typed);
      if (kind !== 'tag') break;
      const next = /^object ([0-9a-f]{40,64})\n/.exec(bytes.toString('latin1', 0, 80))?.[1];
      if (next === undefined) break;
      at = Buffer.from(next, 'hex');
    }
    return this.read(at, typed);
  }

  #parent(of: FoundCommit, no: number, typed: string): FoundCommit {
    if (no === 0) return of;
    const id = this.parentsOf(of)[no - 1];
    if (id) return this.read(id, typed);
    const isCut = of.parents.length >= no;
    const why = isCut ? 'is beyond the end of this shallow clone' : 'does not exist';
    const oldest = of.id.toString('hex').slice(0, 12);
    const next = `git://${oldest}`;
    throw new OrielError(
      'NOT_FOUND',
      `${quote(typed)} ${why}: ${oldest} has ${isCut ? 'no parent here' : `${of.parents.length} ${of.parents.length === 1 ? 'parent' : 'parents'}`}. Use ${next}.`,
      { next },
    );
  }
}
