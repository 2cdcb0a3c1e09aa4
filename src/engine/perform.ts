/** Which part of the engine answers which request. All but reading is loaded when it is first needed. */

import type { Call } from '../types/call.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Request } from '../types/request.ts';
import type { Result } from '../types/result.ts';
import { read } from './read.ts';

export async function perform(request: Request, call: Call, policy: TextPolicy): Promise<Result> {
  switch (request.do) {
    case 'read':
      if (request.on !== undefined) {
        return (await import('./workspace.ts')).readInWorkspace(request, request.on, call);
      }
      return read(request, call, policy);
    case 'run':
      return (await import('./run.ts')).run(request, call);
    case 'search':
      return (await import('./search.ts')).search(request, call);
    case 'find':
      return (await import('./find.ts')).find(request, call);
    case 'list':
      return (await import('./list.ts')).list(request, call);
  }
}
