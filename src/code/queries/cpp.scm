; c.scm is not included, because each pattern for this grammar takes milliseconds to compile.

(preproc_include) @imports
(using_declaration) @imports
(comment) @comment
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
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @struct
(enum_specifier name: (_) @name body: (_) @body) @enum
(namespace_definition name: (_) @name body: (_) @body) @module
(linkage_specification value: (_) @name body: (declaration_list) @body) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type

(type_definition
  type: [
    (struct_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)
    (enum_specifier !name body: (_) @body)
  ]
  declarator: (type_identifier) @name) @struct
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator [(type_identifier) @name (_ (type_identifier) @name)]))
    (_ (function_declarator
      declarator: (parenthesized_declarator [(type_identifier) @name (_ (type_identifier) @name)])))
  ]) @type

(preproc_function_def name: (_) @name value: (_)? @body) @macro

(preproc_def name: (_) @name value: (_)? @body) @constant
; Variables of a file, of a header in its guard, and of a namespace.
([
  (translation_unit
    (declaration
      declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name)
        (_ declarator: (_ declarator: (identifier) @name))
        (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
      ]) @variable)
  (translation_unit (preproc_ifdef
    (declaration
      declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name)
        (_ declarator: (_ declarator: (identifier) @name))
        (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
      ]) @variable))
  (declaration_list
    (declaration
      declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name)
        (_ declarator: (_ declarator: (identifier) @name))
        (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
      ]) @variable)
]
  ; Not around the type that it declares: `struct point { int x; } origin;`
  (#not-match? @variable "^[^;=({]*\\b(struct|union|enum|class)\\b[^;=(]*[{]"))

(field_declaration
  declarator: [
    (field_identifier) @name
    (_ (field_identifier) @name)
    (_ (_ (field_identifier) @name))
    (_ (_ (_ (field_identifier) @name)))
    (_ (_ (_ (_ (field_identifier) @name))))
  ]) @property
(enumerator name: (_) @name) @property

(initializer_list) @block
(lambda_expression body: (_) @block)
(raw_string_literal) @block
