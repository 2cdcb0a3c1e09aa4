; In addition to ecma.scm.

(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name value: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_) @body) @module
(module name: (_) @name body: (_)? @body) @module
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

(ambient_declaration) @wrap
(ambient_declaration
  (lexical_declaration (variable_declarator name: (identifier) @name)) @constant)
(ambient_declaration
  (variable_declaration (variable_declarator name: (identifier) @name)) @variable)
(ambient_declaration "global" (statement_block) @body) @module

(public_field_definition name: (_) @name) @property
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @property
(required_parameter "readonly" pattern: (identifier) @name) @property
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @property
(optional_parameter "readonly" pattern: (identifier) @name) @property
(interface_body (property_signature name: (_) @name) @property)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @property))
(enum_assignment name: (_) @name) @property
(enum_body (property_identifier) @name @property)
