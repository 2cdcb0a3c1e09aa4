/** Which files a module means. */

import { expect, test } from 'vitest';
import { ModuleResolver } from '../../../src/code/codebase/paths.ts';
import { importTags } from '../../../src/code/sketch.ts';

const paths = ['util.ts', 'd/a.ts', 'd/util.ts', 'd/e/b.py', 'models.py'];
const found = (module: string, from: string): string[] =>
  new ModuleResolver(paths, 'top').filesOf(module, from).map((file) => paths[file] as string);

test('a relative module is a file inside the tree only', () => {
  expect(found('../util', 'd/a.ts')).toEqual(['util.ts']);
  expect(found('./util', 'd/a.ts')).toEqual(['d/util.ts']);
  expect(found('./e/../util.js', 'd/a.ts')).toEqual(['d/util.ts']);
  expect(found('../../util', 'd/a.ts')).toEqual([]);
  expect(found('../util', 'util.ts')).toEqual([]);
  expect(found('../d/util', 'util.ts')).toEqual([]);
  expect(found('...models', 'd/e/b.py')).toEqual(['models.py']);
  expect(found('....models', 'd/e/b.py')).toEqual([]);
});

/** What the manifests of the tree of packages say. */
const manifests: Readonly<Record<string, string>> = {
  'packages/tools/package.json':
    '{"name": "@acme/tools", "main": "./dist/index.js", "exports": {".": {"types": "./dist/index.d.ts"}, "./far": "./dist/deep.js"}}',
  'packages/app/package.json': '{"name": "app", "imports": {"#lib/*": "./src/utils/*.ts"}}',
  'packages/threads/package.json': '{"name": "worker_threads"}',
  'packages/acme-core/package.json': '{"name": "unlike"}',
  'packages/core/package.json': '{"name": "@acme/core", "source": "lib/main.ts", "main": "dist/index.js"}',
  'tsconfig.json':
    '// {\n{"compilerOptions": {"baseUrl": "packages", /* , */ "paths": {"~app/*": ["none/*", "app/src/*"], "~app": ["app/src/main"],}}}',
  'crates/matcher/Cargo.toml': '[package]\nauthors = ["1"]\nname = "grep-matcher"\n',
  'crates/json/Cargo.toml': '[package]\nname = "other"\n[lib]\nname = "own_json"\npath = "json.rs"\n',
};

test.each([
  ['@acme/tools/far', 'packages/app/src/main.ts', 'packages/tools/src/deep.ts'],
  ['@acme/core', 'packages/app/src/main.ts', 'packages/core/lib/main.ts'],
  ['#lib/vue', 'packages/app/src/main.ts', 'packages/app/src/utils/vue.ts'],
  ['~app/utils/vue', 'packages/tools/src/deep.ts', 'packages/app/src/utils/vue.ts'],
  ['~app', 'packages/tools/src/deep.ts', 'packages/app/src/main.ts'],
  ['tools/src/deep', 'packages/app/src/main.ts', 'packages/tools/src/deep.ts'],
  ['vue', 'packages/app/src/utils/main.ts', undefined],
  ['@other/name/src/deep', 'packages/app/src/main.ts', undefined],
  ['serde_json::Value', 'crates/core/main.rs', undefined],
  ['own_json::Value', 'crates/core/main.rs', 'crates/json/json.rs'],
  ['@acme/tools', 'packages/app/src/main.ts', 'packages/tools/src/index.ts'],
  ['@acme/tools/deep', 'packages/app/src/main.ts', 'packages/tools/src/deep.ts'],
  ['vue', 'packages/app/src/main.ts', undefined],
  ['node:util', 'packages/app/src/main.ts', undefined],
  ['@/utils/vue', 'packages/app/src/main.ts', 'packages/app/src/utils/vue.ts'],
  ['http', 'packages/app/src/http.ts', undefined],
  ['worker_threads', 'packages/app/src/main.ts', undefined],
  ['grep_matcher::Matcher', 'crates/core/main.rs', 'crates/matcher/src/lib.rs'],
  ['Matcher::Fast', 'crates/core/main.rs', undefined],
  ['core', 'crates/main.rs', 'crates/core/main.rs'],
  ['core::fmt::Debug', 'crates/matcher/src/lib.rs', undefined],
  ['super::part', 'crates/matcher/src/inner/deep.rs', 'crates/matcher/src/inner/part.rs'],
  ['std::sync::atomic', 'crates/core/main.rs', undefined],
  ['example.org/me/top/v2', 'cmd/run.go', 'root.go'],
  ['context', 'cmd/run.go', undefined],
  ['errors', 'cmd/run.go', undefined],
  ['net/http', 'cmd/run.go', undefined],
  ['example.org/me/top/http', 'cmd/run.go', 'http/get.go'],
  ['logging', 'shop/cart.py', undefined],
  ['shop.logging', 'tests/test_cart.py', 'shop/logging.py'],
  ['java.util.Map', 'java/org/x/Use.java', undefined],
  ['org.x.Outer.run', 'java/org/x/Use.java', 'java/org/x/Outer.java'],
  ['org.x.helper', 'java/org/x/Use.kt', 'java/org/x/Helpers.kt'],
  ['json', 'lib/top/deeper/other.rb', undefined],
  ['top/json', 'lib/top/other.rb', 'lib/top/json.rb'],
  ['RuntimeException', 'src/App.php', undefined],
])('%s imported by %s is %s', (module, from, expected) => {
  const sources = `
    packages/core/lib/main.ts packages/acme-core/index.ts crates/json/json.rs packages/app/src/main.ts
    packages/app/src/utils/vue.ts packages/app/src/http.ts packages/threads/src/index.ts
    packages/tools/src/index.ts packages/tools/src/deep.ts crates/grep/Cargo.toml crates/core/Cargo.toml
    crates/main.rs crates/core/main.rs crates/core/sync/atomic.rs crates/matcher/src/lib.rs
    crates/matcher/src/inner/mod.rs crates/matcher/src/inner/deep.rs crates/matcher/src/inner/part.rs
    go.mod root.go root_test.go cmd/run.go cmd/errors.go http/go.mod http/get.go pkg/context/context.go
    shop/__init__.py shop/cart.py shop/logging.py tests/test_cart.py java/org/x/Use.java
    java/org/x/Use.kt java/org/x/Outer.java java/org/x/Helpers.kt java/own/util/Map.java
    lib/top/other.rb lib/top/deeper/other.rb lib/top/deep/json.rb lib/top/json.rb src/App.php
    src/Deep/RuntimeException.php
  `;
  const tree = [...Object.keys(manifests), ...sources.trim().split(/\s+/)];
  const declares = (file: number, name: string): boolean =>
    (name === 'run' && tree[file] === 'java/org/x/Outer.java') ||
    (name === 'helper' && tree[file] === 'java/org/x/Helpers.kt');
  const saidBy = (file: number): readonly string[] => {
    const path = tree[file] as string;
    return importTags(manifests[path] ?? '', path.endsWith('.toml') ? 'toml' : 'json').imports;
  };
  const files = new ModuleResolver(tree, 'top', saidBy).filesOf(module, from, declares);
  expect(files.map((file) => tree[file])).toEqual(expected === undefined ? [] : [expected]);
});
