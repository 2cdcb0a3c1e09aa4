/** `oriel private`: the rules that make files private, or the one that decides about a path. */

import { assemble } from '../../assemble.ts';
import { rulesInForce, whyPrivate } from '../../call/private-report.ts';
import { fromWorkingDirectory } from '../../files/paths.ts';
import { oneLine, quote, safeJson } from '../../text/visible.ts';
import { denied, orielOptions } from './dialect-tool.ts';
import { allowPrivate, type CliCommand, cwd, deny, jsonOption, operandPath, root } from './options.ts';

const WHERE =
  'It holds in oriel mcp and oriel serve. In oriel read and the like the default list never holds, other rules only with --deny.';

export const privateCommand: CliCommand = {
  name: 'private',
  operands: '[PATH…]',
  help: 'list the rules that keep files private; those of servers started here, or the one that decides about PATH',
  options: [cwd, root, deny, allowPrivate, jsonOption],
  async run({ values, operands }, { out }) {
    const options = orielOptions({ ...values, 'no-cache': true });
    const roots = options.roots?.length ? options.roots : [fromWorkingDirectory(options.cwd)];
    const { engine, session } = assemble({ ...options, roots, deny: denied(values), telemetry: false });
    const { access } = engine;
    const isJson = values['json'] === true;
    try {
      if (operands.length === 0) {
        const rules = await rulesInForce(access);
        for (const one of rules) {
          const at = one.line === undefined ? one.from : `${one.from}:${one.line}`;
          out.write(isJson ? `${safeJson(one)}\n` : `${oneLine(one.rule)}  ${oneLine(at)}\n`);
        }
        return rules.length > 0 ? 0 : 1;
      }
      let found = false;
      for (const typed of operands) {
        const why = await whyPrivate(access, access.absolute(operandPath(typed)));
        found ||= why !== undefined;
        const said = why === undefined ? `${quote(typed)} is not private.` : `${why} ${WHERE}`;
        out.write(
          isJson ? `${safeJson({ path: typed, private: why !== undefined, message: said })}\n` : `${said}\n`,
        );
      }
      return found ? 0 : 1;
    } finally {
      await session.close();
    }
  },
};
