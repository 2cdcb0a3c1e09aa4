import { expect, test } from 'vitest';
import { languageOf } from '../../src/code/languages.ts';

test.each([
  ['app.ts', '', 'typescript'],
  ['APP.TS', '', 'typescript'],
  ['app.d.mts', '', 'typescript'],
  ['Dockerfile', '', 'dockerfile'],
  ['Dockerfile.dev', '', 'dockerfile'],
  ['dev.dockerfile', '', 'dockerfile'],
  ['Makefile', '', 'makefile'],
  ['makefile.ts', '', 'typescript'],
  ['Gemfile', '', 'ruby'],
  ['.bashrc', '', 'bash'],
  ['tool', '#!/usr/bin/env -S python3.12 -u\nimport os\n', 'python'],
  ['tool', '#! /bin/bash -e\n', 'bash'],
  ['tool', '#!/usr/bin/env NODE_ENV=x node\n', 'javascript'],
  // What a command prints: `git diff`, `git show`, `diff -u`, and `git log`.
  ['1.log', 'diff --git a/x b/x\n', 'diff'],
  ['1.log', `commit ${'a1'.repeat(20)}\nAuthor: A\n\n    Words\n\ndiff --git a/x b/x\n`, 'diff'],
  ['1.log', '--- x\t2026\n+++ y\t2026\n@@ -1 +1 @@\n', 'diff'],
  ['1.log', `commit ${'a1'.repeat(20)}\nAuthor: A\n\n    Words\n`, undefined],
  ['tool', 'import os\n', undefined],
  ['ts', '', undefined],
  ['notes.txt', '#!', undefined],
])('%s beginning with %j is %s', (name, start, language) => {
  expect(languageOf(name, start)?.name).toBe(language);
});
