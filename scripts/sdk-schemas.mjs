// A fix of the MCP SDK for bundles. It makes some 300 schemas before its first answer, a quarter of a start. With the fix
// those that nothing uses are left out, and the others of 2025 are made when a message needs them.

const CORE = /modelcontextprotocol[\\/]core[\\/]dist[\\/]schemas-/;
const CODECS = /modelcontextprotocol[\\/](server|client)[\\/]dist[\\/]src-/;

/** A plugin of rolldown. Throws if the SDK has not the code that it knows. */
export const schemasOnDemand = {
  name: 'schemas-on-demand',
  transform: {
    filter: { id: [CORE, CODECS] },
    handler: (code, id) => (CORE.test(id) ? droppable(code) : onDemand(code)),
  },
};

/** A bundler leaves out what calls a function that is marked as pure, if nothing uses the result. */
function droppable(code) {
  return swap(
    code,
    /^const (\w+Schema) = (.*?);$(?=\n[^\t}])/gms,
    (_, name, schema) => `const ${name} = /* @__PURE__ */ (() => ${schema})();`,
  );
}

function onDemand(code) {
  // Validators by the names of types: for programs that ask for them, and they hold all schemas.
  const unnamed = swap(code, /^for \(const .* register\(.*$/gm, '');
  const built = swap(
    unnamed,
    /^(function build\$1\(\) \{.*?)^(\treturn \{.*?^\t\};)/gms,
    (_, schemas, returned) => {
      const declared = /^\tconst (\S+) = (.*?);$(?=\n\t[^\t}]|\n$)/gms;
      const names = new Set([...schemas.matchAll(declared)].map(([, name]) => name));
      const made = (text) =>
        text.replaceAll(/[\w$]+\b(?!:)/g, (word) => (names.has(word) ? `${word}()` : word));
      return (
        schemas.replaceAll(declared, (_, name, schema) => `const ${name} = once(() => ${made(schema)});`) +
        returned.replaceAll(
          /^\t\t(\w+): (.*?)(?=,?\n\t\t\w|\n\t\};)/gms,
          (_, name, schema) => `${name}: once(() => ${made(schema)})`,
        )
      );
    },
  );
  const asked = swap(built, /^\t\t\t(\S+): (s\.\w+Schema)\b/gm, 'get $1() { return $2(); }');
  const sampled = swap(asked, /(?<=hasTools \? )(s\.\w+) : (s\.\w+)/, '$1() : $2()');
  return `${sampled}\nfunction once(make) { let made; return () => (made ??= make()); }\n`;
}

function swap(code, pattern, to) {
  const swapped = code.replace(pattern, to);
  if (swapped === code) throw new Error(`The MCP SDK has no longer what ${pattern} finds.`);
  return swapped;
}
