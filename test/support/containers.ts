/** Lists the members of an archive, and reads them. */

import type { ArchiveContainer, ArchiveMember } from '../../src/formats/archive/members.ts';

const { signal } = new AbortController();

/** The members before the end or the failure, and the failure. */
export async function listedMembers(
  container: ArchiveContainer,
): Promise<{ members: ArchiveMember[]; failure?: unknown }> {
  const members: ArchiveMember[] = [];
  try {
    for await (const batch of container.entries(signal)) members.push(...batch);
    return { members };
  } catch (failure) {
    return { members, failure };
  }
}

export async function memberText(container: ArchiveContainer, member: ArchiveMember): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of container.open(member, signal)) parts.push(Uint8Array.from(part));
  return Buffer.concat(parts).toString();
}
