/** Finds the route of a request. Paths are compared as they were sent: `/api/../x` and `%2e` name nothing. */

import type { Route } from './route.ts';

const NAME = '/:name';

export interface Match {
  /** As declared: what is counted and logged. */
  readonly path: string;
  /** By method, lower case. */
  readonly routes: ReadonlyMap<string, Route>;
  /** What stands for `:name`, decoded. */
  readonly name: string;
}

export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const known = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = known.get(route.path) ?? new Map<string, Route>();
    known.set(route.path, methods.set(route.method, route));
  }
  return (path) => {
    const routes = known.get(path);
    if (routes) return { path, routes, name: '' };
    const slash = path.lastIndexOf('/');
    const named = path.slice(0, slash) + NAME;
    const methods = slash + 1 < path.length ? known.get(named) : undefined;
    return methods && { path: named, routes: methods, name: decoded(path.slice(slash + 1)) };
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
