/** Finds the route of a request. Paths are not normalized or decoded: `/api/../x` and `%2e` match nothing. */

import type { Route } from './route.ts';

const NAME = '/:name';

export interface Match {
  /** The declared path, for metrics and logs. */
  readonly path: string;
  /** Routes by method, lower case. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The decoded value of `:name`. */
  readonly name: string;
}

export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const known = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = known.get(route.path) ?? new Map<string, Route>();
    known.set(route.path, methods.set(route.method, route));
  }
  const patterns = [...known.keys()].filter((path) => path.includes(NAME)).map(patternOf);
  return (path) => {
    const routes = known.get(path);
    if (routes) return { path, routes, name: '' };
    for (const pattern of patterns) {
      const named = pattern.match(path);
      const methods = named === undefined ? undefined : known.get(pattern.path);
      if (methods && named !== undefined)
        return { path: pattern.path, routes: methods, name: decoded(named) };
    }
    return undefined;
  };
}

interface Pattern {
  readonly path: string;
  /** The value of `:name`; undefined if the path does not match. */
  match(path: string): string | undefined;
}

function patternOf(path: string): Pattern {
  const [front = '', back = ''] = path.split(NAME);
  return {
    path,
    match(asked) {
      if (!asked.startsWith(`${front}/`) || !asked.endsWith(back)) return undefined;
      const name = asked.slice(front.length + 1, asked.length - back.length);
      return name === '' || name.includes('/') ? undefined : name;
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
