/** The cached index of an archive (its format and members), so that later calls find a member without reading it again. */

import type { Call } from '../../types/call.ts';
import type { Computation, Computed, Kind } from '../../types/store.ts';
import { Budget } from './budget.ts';
import type { Codec } from './codecs.ts';
import type { FileSubject } from './container.ts';
import { type Contents, readContents } from './contents.ts';
import { archiveLimits } from './archive-limits.ts';
import { archiveFormat, type ContainerFormat, containerOf } from './open-container.ts';

export type ArchiveIndex =
  | {
      readonly is: 'container';
      readonly format: ContainerFormat;
      readonly contents: Contents;
    }
  | { readonly is: 'compressed'; readonly codec: Codec };

const indexes: Kind<ArchiveIndex, { name: string; entries: number }> = {
  name: 'archive index',
  weigh: (index) => ({ memory: index.is === 'compressed' ? 0 : index.contents.weight }),
};

/** Throws OrielError whose message is a clause about the archive: "it is encrypted". */
export function archiveIndex({ opened, name, head }: FileSubject, call: Call): Promise<ArchiveIndex> {
  const { bytes, size } = opened;
  const make = async ({ source, signal, progress }: Computation): Promise<Computed<ArchiveIndex>> => {
    const packed = { bytes: source, size, budget: new Budget(progress) };
    const format = await archiveFormat(packed, name, head, signal);
    if (typeof format === 'object' && 'only' in format) {
      return { value: { is: 'compressed', codec: format.only }, keep: true };
    }
    const contents = await readContents(containerOf(format, packed), signal);
    return { value: { is: 'container', format, contents }, keep: true };
  };
  return call.session.store.get(indexes, bytes, { name, entries: archiveLimits.entries }, make, call);
}
