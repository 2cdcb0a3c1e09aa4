; Common patterns of JavaScript, TypeScript and TSX.

(identifier) @use
(shorthand_property_identifier) @use
(member_expression property: (property_identifier) @member)
(member_expression property: (private_property_identifier) @member)

(import_statement source: (string (string_fragment) @module))
(export_statement source: (string (string_fragment) @module))
(call_expression
  function: [(identifier) (import)] @called
  .
  arguments: (arguments . (string (string_fragment) @module))
  (#match? @called "^(require|import)$"))
