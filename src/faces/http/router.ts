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
  /** What stands for `:name`; undefined if the path is another one. */
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
