; In addition to ecma.scm.

(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

(field_definition property: (_) @name) @property
