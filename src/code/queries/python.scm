(import_statement) @imports
(import_from_statement) @imports
(future_import_statement) @imports
(comment) @comment
(decorated_definition) @wrap

(class_definition name: (_) @name body: (_) @body) @class
(function_definition name: (_) @name body: (_) @body) @function

(expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body))) @function

(module
  (expression_statement
    (assignment left: (identifier) @name right: (attribute attribute: (_) @tag) @body)) @alias
  (#eq? @tag @name))
(module (expression_statement (assignment left: (identifier) @name right: (_)? @body)) @constant)
(module (type_alias_statement left: (_) @name) @type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @property))

(module . (expression_statement (string) @doc))
(module . (comment) . (expression_statement (string) @doc))
(block . (expression_statement (string) @doc))

(if_statement consequence: (block) @block)
(else_clause body: (block) @block)
(elif_clause consequence: (block) @block)
(for_statement body: (block) @block)
(while_statement body: (block) @block)
(with_statement body: (block) @block)
(try_statement body: (block) @block)
(except_clause (block) @block)
(finally_clause (block) @block)
(dictionary) @block
(list) @block
(set) @block
(tuple) @block
(string) @block
