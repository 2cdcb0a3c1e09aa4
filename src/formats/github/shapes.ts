/** The used fields of objects of GitHub's REST API, as schemas. */

import { z } from 'zod';

/** A field of an unexpected type counts as absent, so that the rest is still shown. */
const words = z.string().nullish().catch(null);
const count = z.number().nullish().catch(null);
const user = z.object({ login: words }).nullish().catch(null);

/** The most items of a list; GitHub's own pages are not longer. */
const MAX_SHAPED_ITEMS = 100;

const listOf = <T>(shape: z.ZodType<T>) =>
  z.preprocess((value) => (Array.isArray(value) ? value.slice(0, MAX_SHAPED_ITEMS) : value), z.array(shape));

/** A body, comment or review. Fields are absent or null for removed accounts and empty texts. */
const remark = z.object({ body: words, user, created_at: words });
export type GitHubRemark = z.infer<typeof remark>;

const placed = remark.extend({
  path: z.string().catch(''),
  line: count,
  original_line: count,
});
export type PlacedRemark = z.infer<typeof placed>;

const review = remark.extend({ state: z.string().catch('COMMENTED'), submitted_at: words });
export type GitHubReview = z.infer<typeof review>;

const branch = z.object({ label: words, ref: words }).nullish().catch(null);

const thread = remark.extend({
  number: count,
  title: words,
  state: words,
  state_reason: words,
  draft: z.boolean().nullish().catch(null),
  html_url: words,
  labels: listOf(z.union([z.string(), z.object({ name: words }).transform(({ name }) => name ?? '')])).catch(
    [],
  ),
  assignees: listOf(user).nullish().catch(null),
  milestone: z.object({ title: words }).nullish().catch(null),
  closed_at: words,
  merged_at: words,
  /** In a list of issues: set if the entry is a pull request. */
  pull_request: z.object({ merged_at: words }).nullish().catch(null),
  head: branch,
  base: branch,
  additions: count,
  deletions: count,
  changed_files: count,
});
export type GitHubThread = z.infer<typeof thread>;

const shapes = {
  thread,
  threads: listOf(thread),
  remarks: listOf(remark),
  reviews: listOf(review),
  placed: listOf(placed),
} as const;

export type ShapeName = keyof typeof shapes;
export type GitHubShape<N extends ShapeName> = z.infer<(typeof shapes)[N]>;

export type ShapeResult<N extends ShapeName> =
  | { readonly kind: 'value'; readonly value: GitHubShape<N> }
  | { readonly kind: 'notJson' | 'otherShape'; readonly cause: unknown };

export function parseShape<N extends ShapeName>(name: N, text: string): ShapeResult<N> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { kind: 'notJson', cause };
  }
  const { data, error } = shapes[name].safeParse(value);
  return data === undefined
    ? { kind: 'otherShape', cause: error }
    : { kind: 'value', value: data as GitHubShape<N> };
}
