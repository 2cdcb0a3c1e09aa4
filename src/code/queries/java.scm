(import_declaration) @imports
(line_comment) @comment
(block_comment) @comment

(class_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (_)? @body) @method
(annotation_type_element_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (_) @body) @method
(compact_constructor_declaration name: (_) @name body: (_) @body) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @property
(constant_declaration declarator: (variable_declarator name: (_) @name)) @property
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @property))
(record_declaration
  parameters: (formal_parameters (spread_parameter (variable_declarator name: (_) @name)) @property))
(enum_constant name: (_) @name) @property

(static_initializer (block) @block)
(class_body (block) @block)
(lambda_expression body: (block) @block)
(array_initializer) @block
