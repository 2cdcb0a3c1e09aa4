/** The results of the client: failures are values with a kind. */

/** A failure. */
export type ClientError =
  /** The server refused the request. `status`: the HTTP status; `code`: a stable error code. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly message: string;
      readonly code?: string;
      readonly next?: string;
      readonly validations?: readonly { readonly field: string; readonly detail: string }[];
      /** Seconds after which the request may be repeated. */
      readonly retryAfter?: number;
    }
  /** There was no response: unknown host, broken connection. */
  | { readonly kind: 'network'; readonly message: string }
  /** The caller's signal was aborted. */
  | { readonly kind: 'cancelled'; readonly message: string }
  /** The response is not one of this API. */
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

/** Returns the value, or throws an Error with the message of the failure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message, { cause: result.error });
}
