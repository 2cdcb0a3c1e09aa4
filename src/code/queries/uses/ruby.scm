(identifier) @use
(constant) @use
(call receiver: (_) method: (identifier) @member)

(call
  method: (identifier) @called
  arguments: [
    (argument_list . (string (string_content) @module))
    (argument_list . (simple_symbol) . (string (string_content) @module))
  ]
  (#match? @called "^(require|require_relative|load|autoload)$"))
