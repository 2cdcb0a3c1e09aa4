(identifier) @use
(attribute attribute: (identifier) @member)

(import_statement name: (dotted_name) @module)
(import_statement name: (aliased_import name: (dotted_name) @module))
(import_from_statement module_name: (_) @module)
(import_from_statement name: (dotted_name) @imported)
(import_from_statement name: (aliased_import name: (dotted_name) @imported))
