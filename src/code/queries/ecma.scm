; Common patterns of JavaScript, TypeScript and TSX.

(import_statement) @imports
(comment) @comment
(export_statement) @wrap

(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(function_expression name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(method_definition name: (_) @name body: (_) @body) @method

; const run = () => { … }
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @class
(variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @class

; exports.run = function () { … }, Server.prototype.start = function () { … }
(expression_statement
  (assignment_expression
    left: (member_expression object: (_) @scope property: (_) @name)
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @function
(expression_statement
  (assignment_expression
    left: (member_expression object: (_) @scope property: (_) @name)
    right: (class body: (_) @body))) @class

(export_statement
  "default" @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
    (generator_function !name body: (_) @body)
  ]) @function
(export_statement "default" @name value: (class !name body: (_) @body)) @class

; { start: function () { … } }
(pair
  key: (_) @name
  value: [
    (arrow_function body: (statement_block) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @method

; module.exports = { … }, export default { … }, and the parts of those: Vue's `methods: { … }`.
(program
  (expression_statement
    (assignment_expression left: (member_expression property: (_) @name) right: (object) @body)) @constant)
(program (export_statement "default" @name value: (object) @body) @constant)
(program
  (expression_statement
    (assignment_expression right: (object (pair key: (_) @name value: (object) @body) @property))))
(program (export_statement value: (object (pair key: (_) @name value: (object) @body) @property)))

; var Router = require('router'), debug = require('debug')('app'), Route = express.Route: only another name of something.
(program
  (_
    (variable_declarator
      name: (identifier) @name
      value: [
        (call_expression function: (identifier) @called)
        (call_expression function: (call_expression function: (identifier) @called))
        (member_expression object: (call_expression function: (identifier) @called))
      ] @body)) @alias
  (#eq? @called "require"))
(program
  (_ (variable_declarator name: (identifier) @name value: (member_expression property: (_) @tag) @body)) @alias
  (#eq? @tag @name))

; Constants and variables at the top level of a module.
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @body)) @constant)
(program (variable_declaration (variable_declarator name: (identifier) @name value: (_)? @body)) @variable)
(program
  (export_statement
    (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @body)) @constant))

; var merge = createAssigner(function () { … }), in a function that is a module
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: (call_expression
      function: (identifier) @called
      arguments: (arguments [(function_expression) (arrow_function)])) @body)
  (#not-match? @called "^(set|request)[A-Z]")) @variable

; describe('…', () => { … }), it('…', …), test.only('…', …)
(call_expression
  function: [(identifier) @called (member_expression object: (identifier) @called)]
  arguments: (arguments
    .
    [(string) (template_string)] @name
    [(arrow_function body: (statement_block) @body) (function_expression body: (_) @body)])
  (#match? @called "^(describe|context|suite|it|test|specify|bench)$")) @test

; Blocks of statements.
(if_statement consequence: (statement_block) @block)
(else_clause (statement_block) @block)
(for_statement body: (statement_block) @block)
(for_in_statement body: (statement_block) @block)
(while_statement body: (statement_block) @block)
(try_statement body: (_) @block)
(catch_clause body: (_) @block)
(finally_clause body: (_) @block)
(class_static_block body: (_) @block)
(arguments [(arrow_function body: (statement_block) @block) (function_expression body: (_) @block)])
(parenthesized_expression [(arrow_function body: (statement_block) @block) (function_expression body: (_) @block)])

(object) @block
(array) @block
(template_string) @block
(switch_body) @block
