/** Reads the Server-Sent Events of the tools route. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Maximum bytes of an event; an answer is far smaller. */
const MOST_BYTES = 16 * 2 ** 20;

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const event = parse(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event) yield event;
    }
    if (rest.length > MOST_BYTES) throw new Error('an event is larger than 16 MiB');
  }
}

/** Undefined for comments. */
function parse(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { event: fields.get('event') ?? 'message', data };
}
