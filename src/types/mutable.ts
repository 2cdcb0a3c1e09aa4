/**
 * An object under construction: setting fields one by one is cheaper than spreading parts, and this runs in
 * every read.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
