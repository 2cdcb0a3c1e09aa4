/** The client's results: a failure is a value, with a kind to branch on. */

/** Everything that can go wrong, as data. */
export type ClientError =
  /** The server answered and refused: `status` is HTTP's, `code` stable. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly message: string;
      readonly code?: string;
      readonly next?: string;
      readonly validations?: readonly { readonly field: string; readonly detail: string }[];
      /** Seconds after which the server may be asked again. */
      readonly retryAfter?: number;
    }
  /** No answer came: no such host, a connection that broke. */
  | { readonly kind: 'network'; readonly message: string }
  /** The caller's signal was aborted. */
  | { readonly kind: 'cancelled'; readonly message: string }
  /** What came is no answer of this API. */
  | { readonly kind: 'protocol'; readonly message: string };

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ClientError };

export function succeeded<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(error: ClientError): { ok: false; error: ClientError } {
  return { ok: false, error };
}

/** The value, or an Error with the message of what went wrong: for callers that rather catch. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message, { cause: result.error });
}
