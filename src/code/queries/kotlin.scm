(import) @imports
(line_comment) @comment
(block_comment) @comment

(class_declaration "interface" name: (_) @name [(class_body) (enum_class_body)]? @body) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name [(class_body) (enum_class_body)]? @body) @enum
(class_declaration name: (_) @name [(class_body) (enum_class_body)]? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @class
(companion_object name: (_) @name (class_body)? @body) @class
(companion_object "companion" @name !name (class_body)? @body) @class
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor "constructor" @name (block)? @body) @method
(type_alias type: (_) @name) @type
(source_file (property_declaration (variable_declaration (identifier) @name)) @constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @property)
(class_parameter ["val" "var"] (identifier) @name) @property
(enum_entry (identifier) @name) @property

(anonymous_initializer (block) @block)
(getter (function_body) @block)
(setter (function_body) @block)
(lambda_literal) @block
(multiline_string_literal) @block
