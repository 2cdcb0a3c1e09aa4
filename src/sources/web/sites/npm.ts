/** Pages of npm packages, from the registry that the user's npm is configured for: facts and README. */

import type { Site } from '../page.ts';
import {
  type Answered,
  at,
  dayOf,
  entriesAt,
  factsOf,
  joined,
  jsonAt,
  lineAt,
  listAt,
  textAt,
} from './api.ts';
import { npmRegistry } from './registries.ts';

export const npm: Site = {
  name: 'npm',
  hosts: /^(?:www\.)?npmjs\.com$/,
  page(url) {
    const [, name, version] =
      /^\/package\/((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/v\/([\w.+-]+))?\/?$/.exec(decoded(url.pathname)) ?? [];
    if (name === undefined) return undefined;
    return async (visit) => {
      const registry = await npmRegistry(name, visit);
      if (!registry) return undefined;
      const path = `/${name.replace('/', '%2F')}`;
      const all = await jsonAt(registry, path, visit);
      if (all) return shown(all, name, version);
      // All versions of some packages are longer than a text may be.
      const one = await jsonAt(registry, `${path}/${version ?? 'latest'}`, visit);
      if (one) visit.notes.push('its README was not read');
      return one && { page: one.page, text: joined(factsOfVersion(one.value, name)) };
    };
  },
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function shown({ page, value }: Answered, name: string, asked: string | undefined) {
  const version = asked ?? textAt(value, 'dist-tags', 'latest');
  const manifest = at(value, 'versions', version);
  if (manifest === undefined) return undefined;
  const tags = entriesAt(value, 'dist-tags').map(([tag, of]) => `${tag} ${textAt(of)}`);
  const facts = factsOf([
    ['Published', dayOf(textAt(value, 'time', version))],
    ['Tags', tags.join(', ')],
    ['Versions', String(entriesAt(value, 'versions').length)],
  ]);
  const readme = (textAt(manifest, 'readme') || textAt(value, 'readme')).trim();
  return {
    page,
    text: joined([...factsOfVersion(manifest, name), facts, readme === '' ? '' : '---', readme]),
  };
}

function factsOfVersion(manifest: unknown, name: string): string[] {
  const list = (field: string): string =>
    entriesAt(manifest, field)
      .map(([key, range]) => `${key} ${textAt(range)}`)
      .join(', ');
  const deprecated = lineAt(manifest, 'deprecated');
  return [
    `# ${name} ${lineAt(manifest, 'version')}`,
    lineAt(manifest, 'description'),
    deprecated === '' ? '' : `**Deprecated:** ${deprecated}`,
    factsOf([
      ['License', lineAt(manifest, 'license') || lineAt(manifest, 'license', 'type')],
      ['Repository', lineAt(manifest, 'repository', 'url') || lineAt(manifest, 'repository')],
      ['Homepage', lineAt(manifest, 'homepage')],
      [
        'Keywords',
        listAt(manifest, 'keywords')
          .map((word) => lineAt(word))
          .join(', '),
      ],
      ['Engines', list('engines')],
      ['Dependencies', list('dependencies')],
      ['Peer dependencies', list('peerDependencies')],
    ]),
  ];
}
