/** The lens: shows a path as a model would see it, in one dialect or in two side by side. */

import { useEffect, useState } from 'preact/hooks';
import { countWords, sizeWords } from '../../telemetry/report.ts';
import type { ToolAnswer } from '../client/types.ts';
import { askLens, type LensFields, type LensReply } from './dashboard-api.ts';
import { hrefOf } from './hooks.tsx';

const DIALECTS = ['oriel', 'pi', 'pi@0.74', 'pi@1.6', 'zed', 'zdx', 'zdx@0.10', 'coder'] as const;

const encoder = new TextEncoder();

/**
 * The state is in the address, so that every view can be linked: `path`, `dialect`, `beside`, `bytes`, `lines`, `input`.
 * Typed values stay in the form (uncontrolled) until it is submitted, because live events re-render this view.
 */
export function LensView({ query }: { readonly query: URLSearchParams }) {
  const of = (name: string): string => query.get(name) ?? '';
  const [dialect, beside] = [of('dialect') || 'oriel', of('beside')];
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fields = ['path', 'dialect', 'beside', 'bytes', 'lines'].map(
      (name) => [name, String(form.get(name) ?? '') || undefined] as const,
    );
    location.hash = hrefOf('lens', Object.fromEntries(fields)).slice(1);
  };
  const limits = limitsIn(of('bytes'), of('lines'));
  const asked = of('path') !== '' || of('input') !== '';
  return (
    <section>
      <h1>Lens</h1>
      <p class="about">What a model gets for a path: the same answer, block by block.</p>
      <form class="lens" onSubmit={submit} key={query.toString()}>
        <p class="wide">
          <label for="path">Path with a selector</label>
          <input
            id="path"
            name="path"
            defaultValue={of('path')}
            placeholder="src/app.ts:1..50"
            autocomplete="off"
            spellcheck={false}
          />
        </p>
        <Choice name="dialect" label="Dialect" value={dialect} />
        <Choice name="beside" label="Beside it" value={beside} none="nothing" />
        <Limit name="bytes" label="Most bytes" value={of('bytes')} />
        <Limit name="lines" label="Most lines" value={of('lines')} />
        <button type="submit">Look</button>
      </form>
      {asked && (
        <div class={beside === '' ? 'seen' : 'seen two'}>
          <Panel
            key={`1 ${query.toString()}`}
            query={query}
            dialect={dialect}
            limits={limits}
            input={inputIn(of('input'))}
          />
          {beside !== '' && (
            <Panel
              key={`2 ${query.toString()}`}
              query={query}
              dialect={beside}
              limits={limits}
              input={inputIn(of('besideInput'))}
              second
            />
          )}
        </div>
      )}
    </section>
  );
}

function Choice({
  name,
  label,
  value,
  none,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly none?: string;
}) {
  return (
    <p>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {none !== undefined && <option value="">{none}</option>}
        {DIALECTS.map((one) => (
          <option key={one} value={one} selected={one === value}>
            {one}
          </option>
        ))}
      </select>
    </p>
  );
}

function Limit({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}) {
  return (
    <p>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="number"
        min={1}
        max={1_048_576}
        defaultValue={value}
        placeholder="as usual"
      />
    </p>
  );
}

function limitsIn(bytes: string, lines: string): LensFields {
  return {
    ...(Number(bytes) > 0 && { bytes: Number(bytes) }),
    ...(Number(lines) > 0 && { lines: Number(lines) }),
  };
}

function inputIn(text: string): LensFields | undefined {
  try {
    return text === '' ? undefined : (Object(JSON.parse(text)) as LensFields);
  } catch {
    return undefined;
  }
}

interface PanelProps {
  readonly query: URLSearchParams;
  readonly dialect: string;
  readonly limits: LensFields;
  readonly input: LensFields | undefined;
  readonly second?: boolean;
}

function Panel({ query, dialect, limits, input, second = false }: PanelProps) {
  const [seen, setSeen] = useState<LensReply>();
  const [error, setError] = useState<string>();
  const path = query.get('path') ?? '';
  useEffect(() => {
    askLens({ dialect, limits, ...(input ? { input } : { path }) }).then(setSeen, (cause: Error) =>
      setError(cause.message),
    );
  }, []);
  if (error !== undefined) return <p role="alert">{`${dialect}: ${error}`}</p>;
  if (!seen) return <p role="status">{`Reading under ${dialect}…`}</p>;
  const { answer, tool, next } = seen;
  const images = answer.content.filter(({ type }) => type === 'image').length;
  const bytes = answer.content.reduce(
    (sum, block) => sum + (block.type === 'text' ? encoder.encode(block.text).length : 0),
    0,
  );
  const { by, truncatedBy } = Object(answer.details['truncation']) as { by?: string; truncatedBy?: string };
  const cutBy = by ?? truncatedBy;
  return (
    <article aria-label={`Under ${dialect}`}>
      <h2>
        {dialect} <small>{tool}</small>
      </h2>
      <code class="input">{JSON.stringify(seen.input)}</code>
      <p>
        {answer.isError && <strong class="bad">error </strong>}
        {countWords(answer.content.length, 'block')}, {sizeWords(bytes)}, about{' '}
        {countWords(Math.ceil(bytes / 4), 'token')}
        {images > 0 && ` of text, and ${countWords(images, 'image')}`}
        {cutBy !== undefined && (
          <>
            , cut by <strong>{cutBy}</strong>
          </>
        )}
      </p>
      {next && (
        <p>
          <a class="next" href={nextHref(query, next, second)}>
            Next call:{' '}
            {typeof next['path'] === 'string' && Object.keys(next).length === 1
              ? next['path']
              : JSON.stringify(next)}
          </a>
        </p>
      )}
      {answer.content.map((block, i) => (
        <ShownBlock key={i} block={block} name={`Text under ${dialect}, block ${i + 1}`} />
      ))}
    </article>
  );
}

function nextHref(query: URLSearchParams, next: LensFields, second: boolean): string {
  const fields = Object.fromEntries(query);
  if (!second && typeof next['path'] === 'string' && Object.keys(next).length === 1) {
    const { input: _, besideInput: __, ...others } = fields;
    return hrefOf('lens', { ...others, path: next['path'] });
  }
  return hrefOf('lens', { ...fields, [second ? 'besideInput' : 'input']: JSON.stringify(next) });
}

/** Shows a block. The last line is styled as a notice if it looks like one. */
function ShownBlock({
  block,
  name,
}: {
  readonly block: ToolAnswer['content'][number];
  readonly name: string;
}) {
  if (block.type === 'image') {
    const type = /^image\/[a-z0-9.+-]+$/.test(block.mimeType) ? block.mimeType : 'image/png';
    return <img src={`data:${type};base64,${block.data}`} alt="What the model is shown" />;
  }
  const { text } = block;
  const cut = text.lastIndexOf('\n', text.length - 2) + 1;
  const notice = /^\[.*\]$/.test(text.slice(cut)) ? text.slice(cut) : '';
  return (
    <pre tabIndex={0} role="region" aria-label={name}>
      {notice === '' ? text : text.slice(0, cut)}
      {notice !== '' && <mark>{notice}</mark>}
    </pre>
  );
}
