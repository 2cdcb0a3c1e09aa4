(comment) @comment
(variable_declaration) @wrap

(function_declaration name: (identifier) @name body: (_)? @body) @function
(function_declaration name: (dot_index_expression table: (_) @scope field: (_) @name) body: (_)? @body) @function
(function_declaration name: (method_index_expression table: (_) @scope method: (_) @name) body: (_)? @body) @method
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @scope field: (_) @name) .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @method

(table_constructor) @block
