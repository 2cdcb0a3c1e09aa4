/** An object while it is being put together, field by field: in every read that is cheaper than to spread parts of it. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
