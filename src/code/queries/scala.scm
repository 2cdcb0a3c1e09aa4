(import_declaration) @imports
(comment) @comment
(block_comment) @comment

(package_object name: (_) @name body: (_) @body) @module
(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body) @trait
(enum_definition name: (_) @name body: (_)? @body) @enum
(function_definition name: (_) @name body: (_)? @body) @function
(function_declaration name: (_) @name) @function
(given_definition name: (_) @name body: (_)? @body) @constant
(extension_definition "extension" @name) @impl
(type_definition name: (_) @name) @type
(compilation_unit (val_definition pattern: (identifier) @name value: (_) @body) @constant)
(template_body (val_definition pattern: (identifier) @name value: [(block) (call_expression)] @body) @constant)
(template_body (val_definition pattern: (identifier) @name) @property)
(template_body (var_definition pattern: (identifier) @name) @property)
(template_body (val_declaration name: (identifier) @name) @property)
; Only the first parameter list of a case class has members.
(class_definition "case"
  name: (_) . (type_parameters)? . (annotation)* . (access_modifier)? .
  (class_parameters (class_parameter name: (_) @name) @property))
(class_parameter ["val" "var"] name: (_) @name) @property
(simple_enum_case name: (_) @name) @property

(template_body (block) @block)
(arguments) @block
