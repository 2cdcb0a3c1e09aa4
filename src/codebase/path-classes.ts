/** Classifies files by their paths: compiled, generated, test and documentation files. */

/** Compiled output, which is often beside its source. It is not indexed. */
const COMPILED = /\.(?:py[co]|class|o|obj|a|lib|so|dylib|dll|exe|wasm|beam|elc)$/;

const GENERATED =
  /\.(?:min\.\w+|lock|snap|pb\.go|map)$|_pb2(?:_grpc)?\.py$|(?:^|\/)(?:package-lock\.json|yarn\.lock)$/i;
const OUTPUT_OR_VENDORED =
  /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|generated|__generated__|fixtures?|testdata)\//i;
const TESTS =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|bench(?:mark)?s?)\/|[._-](?:test|spec|bench)\.\w+$|(?:^|\/)test_[^/]*$|_test\.\w+$/i;
/** Case-sensitive: `StoreTest.java`, but not `latest.ts`. */
const TEST_CLASS = /Tests?\.\w+$/;
const DOCUMENTATION = /(?:^|\/)(?:docs?|documentation|examples?|samples?|demos?|site|website)\//i;

export function isCompiled(path: string): boolean {
  return COMPILED.test(path);
}

/** The factor on the rank of a file: 1 for source code, less for documentation, tests, vendored and generated files, in this order. */
export function pathWeight(path: string): number {
  if (GENERATED.test(path)) return 0.02;
  if (OUTPUT_OR_VENDORED.test(path)) return 0.05;
  if (TESTS.test(path) || TEST_CLASS.test(path)) return 0.15;
  return DOCUMENTATION.test(path) ? 0.2 : 1;
}
