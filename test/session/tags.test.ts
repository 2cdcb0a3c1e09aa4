/** Tags of several sessions. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { VersionTags } from '../../src/session/snapshots.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

test('sessions sharing tags never give two contents one tag', () => {
  const sessions = [new VersionTags(8), new VersionTags(8)];
  const given = new Map<string, string>();
  for (const [i, tags] of sessions.entries()) {
    for (let version = 0; version < 3_000; version += 1) {
      const content = digest(`session ${i} version ${version}`);
      const tag = tags.of('log', content);
      expect(given.get(tag) ?? content).toBe(content);
      given.set(tag, content);
    }
    for (let path = 0; path < 21_000; path += 1) tags.of(`path ${path}`, digest(`${path}`));
  }
  // A path that each of them may have forgotten.
  const [one, other] = sessions.map((tags, i) => tags.of('new', digest(`new ${i}`)));
  expect(one).not.toBe(other);
});

test('they give the same content the same tag', () => {
  const tags = [new VersionTags(8), new VersionTags(8)].map((one) => one.of('a', digest('a')));
  expect(tags[0]).toMatch(/^[0-9A-F]{8}$/);
  expect(tags[1]).toBe(tags[0]);
});
