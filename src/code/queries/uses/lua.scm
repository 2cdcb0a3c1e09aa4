(identifier) @use
(dot_index_expression field: (identifier) @member)
(method_index_expression method: (identifier) @member)

(function_call
  name: (identifier) @called
  arguments: (arguments (string content: (string_content) @module))
  (#eq? @called "require"))
