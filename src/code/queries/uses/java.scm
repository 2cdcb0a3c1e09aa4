(identifier) @use
(type_identifier) @use
(method_invocation object: (_) name: (identifier) @member)
(field_access field: (identifier) @member)

(import_declaration (_) @module)
