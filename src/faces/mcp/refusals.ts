/** The errors for requests that are refused before a server sees them, over stdio and over HTTP. */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

export const DUPLICATE_ID = {
  code: INVALID_REQUEST,
  message: 'A request with this id is still being answered.',
} as const;

/** The lowest code that JSON-RPC leaves to servers. */
export const SERVER_ERROR = -32000;
