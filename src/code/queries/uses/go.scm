(identifier) @use
(type_identifier) @use
(selector_expression field: (field_identifier) @member)

(import_spec path: (_) @module)
