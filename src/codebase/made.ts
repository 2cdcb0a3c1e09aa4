/** Files by their paths: what programs made, and what follows the code that it is about. */

/** What compilers write beside the code that it was made from: no code, and nobody's to read. */
const COMPILED = /\.(?:py[co]|class|o|obj|a|lib|so|dylib|dll|exe|wasm|beam|elc)$/;

const MADE =
  /\.(?:min\.\w+|lock|snap|pb\.go|map)$|_pb2(?:_grpc)?\.py$|(?:^|\/)(?:package-lock\.json|yarn\.lock)$/i;
const OTHERS =
  /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|generated|__generated__|fixtures?|testdata)\//i;
const TESTS =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|bench(?:mark)?s?)\/|[._-](?:test|spec|bench)\.\w+$|(?:^|\/)test_[^/]*$|_test\.\w+$/i;
/** `StoreTest.java`, and not `latest.ts`. */
const TEST_CLASS = /Tests?\.\w+$/;
const ABOUT = /(?:^|\/)(?:docs?|documentation|examples?|samples?|demos?|site|website)\//i;

export function isCompiled(path: string): boolean {
  return COMPILED.test(path);
}

/** What the rank of a file counts, up to 1: tests, examples, documents and made files follow the rest. */
export function standing(path: string): number {
  if (MADE.test(path)) return 0.02;
  if (OTHERS.test(path)) return 0.05;
  if (TESTS.test(path) || TEST_CLASS.test(path)) return 0.15;
  return ABOUT.test(path) ? 0.2 : 1;
}
