(name) @use
(member_call_expression name: (name) @member)
(scoped_call_expression name: (name) @member)
(member_access_expression name: (name) @member)

(namespace_use_clause (qualified_name) @module)
(require_once_expression (string (string_content) @module))
(require_expression (string (string_content) @module))
(include_expression (string (string_content) @module))
(include_once_expression (string (string_content) @module))
