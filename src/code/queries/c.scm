; int run(void) { … }, also with one or two * before the name.
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ declarator: (function_declarator declarator: (identifier) @name))
    (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))
  ]
  body: (_) @body) @function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ declarator: (function_declarator declarator: (identifier) @name))
  ]) @function
