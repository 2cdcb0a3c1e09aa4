/** Which entries a walk leaves out, by the ignore files on its way. */

import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HeldDirectory } from '../../src/files/held-directory.ts';
import { WalkRules } from '../../src/files/walk-rules.ts';
import { openCount } from '../support/descriptors.ts';
import { workspace, type Workspace } from '../support/workspace.ts';

function held(path: string): HeldDirectory {
  const fd = openSync(path, 'r');
  try {
    return HeldDirectory.adopt(path, fd);
  } finally {
    closeSync(fd);
  }
}

/** The rules of the directory below `outer`, and how many ignore files could not be used. */
function within(path: string, outer = WalkRules.none, hasDotIgnore = true): readonly [WalkRules, number] {
  let unused = 0;
  const directory = held(path);
  const before = openCount();
  const rules = outer.within(directory, (name) => directory.kindOf(name), {
    hasDotIgnore,
    leaveUnused: () => void (unused += 1),
    retryOnShortage: (open) => open(),
  });
  expect(openCount()).toBe(before);
  directory.release();
  return [rules, unused];
}

const left = (rules: WalkRules, ...names: string[]): string[] =>
  names.filter((name) => rules.ignores(name.replace(/\/$/, ''), name.endsWith('/')));

describe.skipIf(process.platform !== 'linux')('a walk leaves out', () => {
  const NAMES = ['a.log', 'b.tmp', 'c.bak', 'd/', 'e.ts'];

  function repository(): Workspace {
    const made = workspace();
    made.write('.gitignore', '*.log\nd/\n');
    made.write('.git/info/exclude', '*.bak\n*.log\n');
    return made;
  }

  test('what the ignore files of git say, and the local list last', () => {
    const { W, write } = repository();
    expect(left(within(W)[0], ...NAMES, 'd')).toEqual(['a.log', 'c.bak', 'd/']);
    write('.gitignore', '!a.log\n');
    expect(left(within(W)[0], ...NAMES)).toEqual(['c.bak']);
    expect(left(WalkRules.of('*.ts\n'), ...NAMES)).toEqual(['e.ts']);
    expect(left(WalkRules.none, ...NAMES)).toEqual([]);
  });

  test('first what .ignore says, where it is read', () => {
    const { W, write } = repository();
    write('.ignore', '!*.log\n*.tmp\n');
    expect(left(within(W)[0], ...NAMES)).toEqual(['b.tmp', 'c.bak', 'd/']);
    expect(left(within(W, WalkRules.none, false)[0], ...NAMES)).toEqual(['a.log', 'c.bak', 'd/']);
  });

  test('below what the rules above say of the whole path', () => {
    const { W, write } = workspace();
    write('.gitignore', '/sub/a.log\nb.tmp\nsub/deep/e.ts\n');
    write('.ignore', 'sub/c.bak\n');
    mkdirSync(join(W, '.git/info'), { recursive: true });
    write('.git/info/exclude', 'sub/d/\n');
    const below = within(W)[0].below('sub');
    expect(left(below, ...NAMES)).toEqual(['a.log', 'b.tmp', 'c.bak', 'd/']);
    expect(left(below.below('deep'), ...NAMES)).toEqual(['b.tmp', 'e.ts']);
    // A directory without own files keeps them, and an own file comes first.
    mkdirSync(join(W, 'sub'));
    expect(within(join(W, 'sub'), below)[0]).toBe(below);
    write('sub/.gitignore', '!b.tmp\n');
    expect(left(within(join(W, 'sub'), below)[0], ...NAMES)).toEqual(['a.log', 'c.bak', 'd/']);
  });

  test.each(['.git/HEAD', '.git'])('in a repository inside another, with %s, only its own', (git) => {
    const { W, write } = workspace();
    write('.gitignore', '*.log\n');
    write('.ignore', '*.tmp\n');
    write(`sub/${git}`, 'x');
    write('sub/.gitignore', '*.bak\n');
    const below = within(W)[0].below('sub');
    expect(left(within(join(W, 'sub'), below)[0], ...NAMES)).toEqual(['b.tmp', 'c.bak']);
  });

  test('nothing by what cannot be used, and it is counted', () => {
    const { W, write } = workspace();
    mkdirSync(join(W, '.gitignore'));
    expect(within(W)).toEqual([WalkRules.none, 0]);
    writeFileSync(join(W, 'rules'), '*.log\n');
    symlinkSync('rules', join(W, '.ignore'));
    expect(within(W)).toEqual([WalkRules.none, 1]);
    // One MiB is the most.
    write('most/.gitignore', '*.log\n'.padEnd(1 << 20, '#'));
    expect(left(within(join(W, 'most'))[0], ...NAMES)).toEqual(['a.log']);
    write('more/.gitignore', '*.log\n'.padEnd((1 << 20) + 1, '#'));
    expect(within(join(W, 'more'))).toEqual([WalkRules.none, 1]);
    // Many repositories have no local list; one that is a link is not followed.
    write('plain/.git/HEAD', 'x');
    expect(within(join(W, 'plain'))[1]).toBe(0);
    mkdirSync(join(W, 'linked/.git/info'), { recursive: true });
    symlinkSync('../../../rules', join(W, 'linked/.git/info/exclude'));
    const [rules, unused] = within(join(W, 'linked'));
    expect([left(rules, ...NAMES), unused]).toEqual([[], 1]);
  });
});
