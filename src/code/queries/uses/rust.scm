(identifier) @use
(type_identifier) @use
(field_expression field: (field_identifier) @member)

(use_declaration argument: (_) @module)
(mod_item name: (identifier) @module !body)
