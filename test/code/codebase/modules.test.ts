/** Which files a module means. */

import { expect, test } from 'vitest';
import { ModuleResolver } from '../../../src/code/codebase/paths.ts';

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

test.each([
  ['@acme/tools', 'packages/app/src/main.ts', 'packages/tools/src/index.ts'],
  ['@acme/tools/deep', 'packages/app/src/main.ts', 'packages/tools/src/deep.ts'],
  ['vue', 'packages/app/src/main.ts', undefined],
  ['node:util', 'packages/app/src/main.ts', undefined],
  ['@/utils/vue', 'packages/app/src/main.ts', 'packages/app/src/utils/vue.ts'],
  ['http', 'packages/app/src/http.ts', undefined],
  ['worker_threads', 'packages/app/src/main.ts', undefined],
  ['react-tools', 'packages/app/src/main.ts', undefined],
  ['self-tools', 'packages/app/src/main.ts', undefined],
  ['@acme/top-tools', 'packages/app/src/main.ts', 'packages/tools/src/index.ts'],
  ['grep_matcher::Matcher', 'crates/core/main.rs', 'crates/matcher/src/lib.rs'],
  ['serde_matcher::Matcher', 'crates/core/main.rs', undefined],
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
  const tree = [
    'packages/app/package.json',
    'packages/app/src/main.ts',
    'packages/app/src/utils/vue.ts',
    'packages/app/src/http.ts',
    'packages/threads/package.json',
    'packages/threads/src/index.ts',
    'packages/tools/package.json',
    'packages/tools/src/index.ts',
    'packages/tools/src/deep.ts',
    'crates/grep/Cargo.toml',
    'crates/core/Cargo.toml',
    'crates/main.rs',
    'crates/core/main.rs',
    'crates/core/sync/atomic.rs',
    'crates/matcher/Cargo.toml',
    'crates/matcher/src/lib.rs',
    'crates/matcher/src/inner/mod.rs',
    'crates/matcher/src/inner/deep.rs',
    'crates/matcher/src/inner/part.rs',
    'go.mod',
    'root.go',
    'root_test.go',
    'cmd/run.go',
    'cmd/errors.go',
    'http/go.mod',
    'http/get.go',
    'pkg/context/context.go',
    'shop/__init__.py',
    'shop/cart.py',
    'shop/logging.py',
    'tests/test_cart.py',
    'java/org/x/Use.java',
    'java/org/x/Use.kt',
    'java/org/x/Outer.java',
    'java/org/x/Helpers.kt',
    'java/own/util/Map.java',
    'lib/top/other.rb',
    'lib/top/deeper/other.rb',
    'lib/top/deep/json.rb',
    'lib/top/json.rb',
    'src/App.php',
    'src/Deep/RuntimeException.php',
  ];
  const declares = (file: number, name: string): boolean =>
    (name === 'run' && tree[file] === 'java/org/x/Outer.java') ||
    (name === 'helper' && tree[file] === 'java/org/x/Helpers.kt');
  const files = new ModuleResolver(tree, 'top').filesOf(module, from, declares);
  expect(files.map((file) => tree[file])).toEqual(expected === undefined ? [] : [expected]);
});
