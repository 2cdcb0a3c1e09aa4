(using_declaration) @imports
(template_declaration) @wrap

; int run() { … }, void Server::start() { … }, bool operator==(…) { … }, ~Server() = default; also with * or & before the name.
(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (_ (function_declarator declarator: (_) @name))
    (_ (_ (function_declarator declarator: (_) @name)))
    (operator_cast) @name
    (qualified_identifier name: (operator_cast)) @name
  ]
  body: (_)? @body) @function
(declaration
  declarator: [
    (function_declarator
      declarator: [(identifier) (destructor_name) (operator_name) (qualified_identifier)] @name)
    (_ (function_declarator declarator: [(identifier) (operator_name)] @name))
    (operator_cast) @name
  ]) @function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
    (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))
  ]) @method

(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @module
(linkage_specification value: (_) @name body: (declaration_list) @body) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type

(lambda_expression body: (_) @block)
(raw_string_literal) @block
