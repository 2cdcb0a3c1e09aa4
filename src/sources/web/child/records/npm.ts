/** Formats npm packages: from a packument the facts of one version and the README, from a manifest only the facts. */

import type { ReadRecord } from './record.ts';
import { at, dayOf, entriesAt, factsOf, joined, lineAt, listAt, textAt } from './values.ts';

/** An empty `ask.version` means the latest version. */
export const npmPackage: ReadRecord = (value, { name = '', version: asked = '' }) => {
  const version = asked || textAt(value, 'dist-tags', 'latest');
  const manifest = at(value, 'versions', version);
  if (manifest === undefined) return undefined;
  const tags = entriesAt(value, 'dist-tags').map(([tag, of]) => `${tag} ${textAt(of)}`);
  const facts = factsOf([
    ['Published', dayOf(textAt(value, 'time', version))],
    ['Tags', tags.join(', ')],
    ['Versions', String(entriesAt(value, 'versions').length)],
  ]);
  const readme = (textAt(manifest, 'readme') || textAt(value, 'readme')).trim();
  return { text: joined([...factsOfVersion(manifest, name), facts, readme === '' ? '' : '---', readme]) };
};

export const npmManifest: ReadRecord = (value, { name = '' }) =>
  textAt(value, 'version') === '' ? undefined : { text: joined(factsOfVersion(value, name)) };

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
