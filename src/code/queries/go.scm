(import_declaration) @imports
(comment) @comment

(function_declaration name: (_) @name body: (_)? @body) @function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (pointer_type (type_identifier) @scope)
        (generic_type type: (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))
      ]))
  name: (_) @name
  body: (_)? @body) @method

(type_declaration
  "type" . (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) .) @struct
(type_declaration "type" . (type_spec name: (_) @name type: (interface_type) @body) .) @interface
(type_declaration "type" . (type_spec name: (_) @name) .) @type
(type_declaration "type" . (type_alias name: (_) @name) .) @type
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (_) @name type: (interface_type) @body) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method
(type_spec
  type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @property)))

(source_file (const_declaration (const_spec . name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec . name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec . name: (identifier) @name) @variable)))

(func_literal body: (block) @block)
(literal_value) @block
(raw_string_literal) @block
