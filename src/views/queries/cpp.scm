; Beside c.scm.

(template_declaration) @wrap
(using_declaration) @imports

(class_specifier name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @module
(linkage_specification value: (_) @name body: (declaration_list) @body) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type

; void Server::start() { … }, operator==(…) { … }, ~Server() { … }
(function_definition
  declarator: (function_declarator
    declarator: [(qualified_identifier) (field_identifier) (destructor_name) (operator_name) (template_function) (template_method)] @name)
  body: (_) @body) @function
(function_definition
  declarator: (_
    (function_declarator
      declarator: [(qualified_identifier) (field_identifier) (destructor_name) (operator_name) (template_function) (template_method)] @name))
  body: (_) @body) @function
(function_definition
  declarator: (_
    (_
      (function_declarator
        declarator: [(qualified_identifier) (field_identifier) (destructor_name) (operator_name) (template_function) (template_method)] @name)))
  body: (_) @body) @function
(function_definition
  declarator: (function_declarator
    declarator: [(qualified_identifier) (identifier) (field_identifier) (destructor_name) (operator_name)] @name)
  .  ) @function
(function_definition
  declarator: (_ (function_declarator declarator: [(identifier) (operator_name)] @name))
  body: (_) @body) @function
(function_definition declarator: (operator_cast) @name body: (_) @body) @function
(function_definition
  declarator: (qualified_identifier name: (operator_cast)) @name
  body: (_) @body) @function

(field_declaration declarator: (function_declarator declarator: (_) @name)) @method
(field_declaration declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @method
(field_declaration declarator: (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))) @method
(declaration declarator: (function_declarator declarator: [(destructor_name) (operator_name) (qualified_identifier)] @name)) @method
(declaration declarator: (_ (function_declarator declarator: [(identifier) (operator_name)] @name))) @function
(declaration declarator: (operator_cast) @name) @method

(lambda_expression body: (_) @block)
(raw_string_literal) @block
