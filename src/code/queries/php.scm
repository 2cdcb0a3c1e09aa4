(namespace_use_declaration) @imports
(comment) @comment

(namespace_definition name: (_) @name body: (_)? @body) @module
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (_)? @body) @method
(function_definition name: (_) @name body: (_) @body) @function
(program (const_declaration (const_element . (name) @name)) @constant)
(declaration_list (const_declaration (const_element . (name) @name)) @property)
(property_declaration (property_element (variable_name) @name)) @property
(property_promotion_parameter name: (_) @name) @property
(enum_case name: (_) @name) @property

(program (_ body: (compound_statement) @block))
(anonymous_function body: (compound_statement) @block)
(array_creation_expression) @block
(heredoc_body) @block
(nowdoc_body) @block
