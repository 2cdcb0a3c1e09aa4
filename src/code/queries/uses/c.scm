(identifier) @use
(type_identifier) @use
(field_expression field: (field_identifier) @member)

(preproc_include path: (_) @module)
