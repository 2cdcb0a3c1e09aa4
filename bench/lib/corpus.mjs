// Real open-source files of six languages, from npm and Debian packages.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './data.mjs';
import { debian } from './debian.mjs';
import { peer } from './peers.mjs';

/** Each with the directories of its files, their extension, and the kinds of Ctags that are compared. */
export const languages = [
  {
    name: 'TypeScript',
    grammar: 'typescript',
    queries: ['ecma', 'typescript'],
    from: () => [within(peer('rxjs', '7.8.2'), 'src'), 'node_modules/zod/src'],
    ending: '.ts',
    kinds: 'function,class,interface,enum,method,namespace,alias,generator',
  },
  {
    name: 'JavaScript',
    grammar: 'javascript',
    queries: ['ecma', 'javascript'],
    from: () => [within(peer('eslint', '9.39.1'), 'lib'), 'node_modules/undici/lib'],
    ending: '.js',
    kinds: 'function,class,method,generator,getter,setter',
  },
  {
    name: 'Python',
    grammar: 'python',
    queries: ['python'],
    from: () => [debian('python3-django')],
    ending: '.py',
    kinds: 'class,function,member',
  },
  {
    name: 'Go',
    grammar: 'go',
    queries: ['go'],
    from: () => [debian('golang-golang-x-tools-dev')],
    ending: '.go',
    kinds: 'func,struct,interface,type,methodSpec,talias',
  },
  {
    name: 'Java',
    grammar: 'java',
    queries: ['java'],
    from: () => [peer('react-native', '0.76.9')],
    ending: '.java',
    kinds: 'class,interface,enum,method,annotation',
  },
  {
    name: 'C++',
    grammar: 'cpp',
    queries: ['cpp'],
    from: () => [within(peer('react-native', '0.76.9'), 'ReactCommon')],
    ending: '.cpp',
    kinds: 'function,class,struct,enum,union,namespace,typedef,alias',
  },
];

const within = (folder, path) => folder && join(folder, path);

/** Up to `most` hand-written files, spread over the directories: 80 to 8,000 lines of reasonable length. */
export function filesOf({ from, ending }, most = 150) {
  const all = from().flatMap((folder) => (folder === undefined ? [] : filesBelow(folder)));
  const files = all.filter((path) => {
    if (!path.endsWith(ending)) return false;
    const { size } = statSync(path);
    if (size < 2_000 || size > 400_000) return false;
    const lines = readFileSync(path, 'utf8').split('\n').length;
    return lines >= 80 && lines <= 8_000 && size / lines < 120;
  });
  const step = Math.max(1, files.length / most);
  return Array.from({ length: Math.min(most, files.length) }, (_, i) => files[Math.floor(i * step)]);
}
