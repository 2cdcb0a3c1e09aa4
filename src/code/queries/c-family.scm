; What C and C++ share, after their own patterns.

(preproc_include) @imports
(comment) @comment

(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @struct
(enum_specifier name: (_) @name body: (_) @body) @enum

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
    (_ declarator: [(type_identifier) @name (_ (type_identifier) @name) (_ (_ (type_identifier) @name))])
    (_ declarator: (_ declarator: (_ (_ (type_identifier) @name))))
  ]) @type
(preproc_function_def name: (_) @name value: (_)? @body) @macro
(preproc_def name: (_) @name value: (_)? @body) @constant

; Variables of a file, of a header in its guard, and of a namespace.
([
  (translation_unit (declaration declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])])]) @variable)
  (translation_unit (preproc_ifdef (declaration declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])])]) @variable))
  (declaration_list (declaration declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])])]) @variable)
]
  ; Not around the type that it declares: `struct point { int x; } origin;`
  (#not-match? @variable "^[^;=({]*\\b(struct|union|enum|class)\\b[^;=(]*[{]"))

(field_declaration
  declarator: [
    (field_identifier) @name
    (_ [(field_identifier) @name (_ [(field_identifier) @name (_ [(field_identifier) @name (_ (field_identifier) @name)])])])
  ]) @property
(enumerator name: (_) @name) @property

(initializer_list) @block
