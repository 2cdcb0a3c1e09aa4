(identifier) @use
(type_identifier) @use
(field_expression field: (identifier) @member)

(import_declaration) @module
