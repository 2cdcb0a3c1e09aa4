(using_directive) @imports
(using_directive name: (_) @name) @alias
(comment) @comment

(namespace_declaration name: (_) @name body: (_) @body) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name body: (_)? @body) @class
(record_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @struct
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name body: (_)? @body) @method
(constructor_declaration name: (_) @name body: (_)? @body) @method
(destructor_declaration name: (_) @name body: (_)? @body) @method
(operator_declaration operator: _ @name body: (_)? @body) @method
(conversion_operator_declaration type: (_) @name body: (_)? @body) @method
(indexer_declaration "this" @name accessors: (_)? @body) @property
(property_declaration name: (_) @name accessors: (_)? @body) @property
(event_declaration name: (_) @name accessors: (_)? @body) @property
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(record_declaration (parameter_list (parameter name: (_) @name) @parameter))
(enum_member_declaration name: (_) @name) @property
(local_function_statement name: (_) @name body: (_)? @body) @function

(accessor_declaration body: (block) @block)
(global_statement (_ body: (block) @block))
(lambda_expression body: (block) @block)
(initializer_expression) @block
(raw_string_literal) @block
(verbatim_string_literal) @block
