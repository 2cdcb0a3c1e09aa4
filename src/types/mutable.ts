/**
 * An object under construction: setting fields one by one is cheaper than spreading parts, and this runs in
 * every read.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The same fields, none of which may be left out: a new field of `T` then does not compile until it is handled. */
export type Complete<T> = { readonly [K in keyof T]-?: T[K] };
