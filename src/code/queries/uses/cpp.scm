(identifier) @use
(type_identifier) @use
(namespace_identifier) @use
(field_expression field: (field_identifier) @member)
(qualified_identifier name: (identifier) @member)

(preproc_include path: (_) @module)
