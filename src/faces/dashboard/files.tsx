/** The coverage of each source as a strip: read once, again, never. The most wasteful source is first. */

import { useState } from 'preact/hooks';
import { isWhole } from '../../telemetry/call-for.ts';
import { countWords, coverageWords, othersWords, percentWords, sizeWords } from '../../telemetry/words.ts';
import type { FileReport, TaskReport } from '../../types/task-report.ts';
import { hrefOf } from './hooks.tsx';

const PAGE = 15;

export function Files({
  report: { files, sources, others, dialects },
  hasLens,
}: {
  readonly report: TaskReport;
  readonly hasLens: boolean;
}) {
  const [shown, setShown] = useState(PAGE);
  if (files.length === 0) return null;
  // The dialect of most calls.
  const [dialect] = Object.keys(dialects);
  return (
    <>
      <h2>Sources</h2>
      <p class="legend">
        <span class="key once" /> read once <span class="key again" /> read again <span class="key never" />{' '}
        never read
      </p>
      <ul class="files">
        {files.slice(0, shown).map((file) => (
          <li key={file.source}>
            <p>
              {hasLens && isWhole(file.source) ? (
                <a href={hrefOf('lens', { path: file.source, dialect })}>
                  <bdi>{file.source}</bdi>
                </a>
              ) : (
                <bdi>{file.source}</bdi>
              )}{' '}
              <small>
                {countWords(file.reads, 'read')}, {sizeWords(file.bytes)}, {percentWords(file.redundancy)}{' '}
                again
                {file.versions > 1 && `, ${file.versions} versions`}
                {file.maps !== undefined &&
                  `, ${countWords(file.maps, 'map')}${file.mapFollowed === true ? '' : ' not followed'}`}
              </small>
            </p>
            <Strip file={file} />
            <small>{coverageWords(file)}</small>
          </li>
        ))}
      </ul>
      {shown < files.length && (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          Show more sources
        </button>
      )}
      {shown >= files.length && sources > files.length && (
        <p>{countWords(sources - files.length, 'source')} more, with less waste</p>
      )}
      {others && <p>{othersWords(others)}</p>}
    </>
  );
}

const WIDTH = 1_000;

function Strip({ file }: { readonly file: FileReport }) {
  const { stretches, total, source } = file;
  const end = Math.max(1, total ?? 0, stretches.at(-1)?.[1] ?? 0);
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${WIDTH} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${source}: ${coverageWords(file)}`}
    >
      {stretches.map(([from, to, times]) => (
        <rect
          key={from}
          x={(WIDTH * from) / end}
          width={Math.max(2, (WIDTH * (to - from)) / end)}
          height={10}
          class={times > 1 ? 'again' : 'once'}
        />
      ))}
    </svg>
  );
}
