// Declarations from the TypeScript compiler, because Ctags has no ends for TypeScript and JavaScript.
import { createRequire } from 'node:module';
import { peer } from './peers.mjs';

/** `{ name, line, end }` of functions, methods, classes, interfaces, enums, types and namespaces; lines 1-based. */
export function declarations(path, text) {
  const home = peer('typescript', '5.9.3');
  if (home === undefined) return [];
  const ts = createRequire(import.meta.url)(home);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (offset) => file.getLineAndCharacterOfPosition(offset).line + 1;
  const found = [];
  const visit = (node) => {
    const is = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassDeclaration(node);
    const isType =
      ts.isInterfaceDeclaration(node) ||
      ts.isEnumDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isGetAccessor(node) ||
      ts.isSetAccessor(node);
    if ((is || isType) && node.name) {
      found.push({
        name: node.name.getText(file),
        line: lineOf(node.name.getStart(file)),
        end: lineOf(node.end),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
