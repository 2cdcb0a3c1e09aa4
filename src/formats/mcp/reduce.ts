/**
 * Reduces a large message of an MCP server to the used fields. Runs in a child process, because the message may have any
 * shape.
 */

/** One more than are shown of a list, to know whether there are more. */
const MAX_REDUCED_ITEMS = 1_001;

/** The most characters of a name, a description or an error. */
const MAX_REDUCED_CHARACTERS = 4_096;

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the text is not a message. */
export function reducedMessage(text: string): string | undefined {
  const message = fieldsOf(parsed(text));
  if (!message) return undefined;
  const { jsonrpc, id, method, error, result } = message;
  const kept = {
    jsonrpc,
    id: scalar(id),
    // Parameters are not needed: requests of the server are refused and notifications ignored.
    method: words(method),
    error: failure(error),
    result: method === undefined && error === undefined ? outcome(fieldsOf(result)) : undefined,
  };
  return JSON.stringify(kept);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function outcome(result: Fields | undefined): object {
  const { nextCursor, resources, resourceTemplates, contents, protocolVersion, capabilities, serverInfo } =
    result ?? {};
  return {
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
    resources: listed(resources, 'uri'),
    resourceTemplates: listed(resourceTemplates, 'uriTemplate'),
    contents: parts(contents),
    protocolVersion: words(protocolVersion),
    capabilities:
      protocolVersion === undefined
        ? undefined
        : fieldsOf(fieldsOf(capabilities)?.['resources'])
          ? { resources: {} }
          : {},
    serverInfo:
      protocolVersion === undefined
        ? undefined
        : { name: words(fieldsOf(serverInfo)?.['name']) ?? '', version: '' },
  };
}

/** The items of a list; those whose name is too long for a call are left out. */
function listed(value: unknown, key: string): object[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, MAX_REDUCED_ITEMS)
    .map((one) => fieldsOf(one) ?? {})
    .filter((one) => typeof one[key] === 'string' && one[key].length <= MAX_REDUCED_CHARACTERS)
    .map((one) => ({
      [key]: one[key],
      name: words(one['name']) ?? '',
      title: words(one['title']),
      description: words(one['description']),
    }));
}

function parts(value: unknown): object[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_REDUCED_ITEMS).map((one) => {
    const { uri, mimeType, text, blob } = fieldsOf(one) ?? {};
    return { uri: words(uri), mimeType: words(mimeType), text, blob };
  });
}

function failure(error: unknown): object | undefined {
  const { code, message } = fieldsOf(error) ?? {};
  return error === undefined ? undefined : { code: scalar(code) ?? 0, message: words(message) ?? '' };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function words(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_REDUCED_CHARACTERS).toWellFormed() : undefined;
}

function scalar(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : words(value);
}
