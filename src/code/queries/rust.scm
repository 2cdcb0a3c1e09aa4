(use_declaration) @imports
(extern_crate_declaration) @imports
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute

(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name body: (_)? @body) @struct
(union_item name: (_) @name body: (_)? @body) @struct
(enum_item name: (_) @name body: (_) @body) @enum
(trait_item name: (_) @name body: (_) @body) @trait
(impl_item type: [(type_identifier) (scoped_type_identifier) (primitive_type)] @name body: (_)? @body) @impl
(impl_item type: (generic_type type: (_) @name) body: (_)? @body) @impl
(impl_item type: (reference_type type: (_) @name) body: (_)? @body) @impl
(impl_item type: [(tuple_type) (array_type) (dynamic_type) (pointer_type) (unit_type)] @name body: (_)? @body) @impl
(mod_item name: (_) @name body: (_)? @body) @module
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(macro_definition name: (_) @name) @macro
(const_item name: (_) @name value: (_)? @body) @constant
(static_item name: (_) @name value: (_)? @body) @constant
(field_declaration name: (_) @name) @property
(enum_variant name: (_) @name) @property

(array_expression) @block
(source_file (expression_statement (macro_invocation (token_tree) @block)))
(source_file (macro_invocation (token_tree) @block))
(declaration_list (macro_invocation (token_tree) @block))
(raw_string_literal) @block
