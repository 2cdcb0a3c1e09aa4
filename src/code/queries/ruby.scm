(call method: (identifier) @called (#match? @called "^(require|require_relative|load|autoload)$")) @imports
(comment) @comment

(module name: (_) @name body: (_)? @body) @module
(class name: (_) @name body: (_)? @body) @class
(singleton_class value: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @method
(singleton_method object: (_) name: (_) @name body: (_)? @body) @method
(alias name: (_) @name) @method
(call
  method: (identifier) @called
  arguments: (argument_list (simple_symbol) @name)
  (#match? @called "^([cm]?attr_(accessor|reader|writer)|attr)$")) @property
(call
  method: (identifier) @called
  arguments: (argument_list . (simple_symbol) @name)
  (#match? @called "^(alias_method|define_method)$")) @method
(assignment left: (constant) @name right: (_) @body) @constant

; describe '…' do, context '…' do, it '…' do
(call
  method: (identifier) @called
  arguments: (argument_list . (_) @name)
  block: (do_block) @body
  (#match? @called "^(describe|context|feature|scenario|it|specify|test)$")) @test

(do_block) @block
(block) @block
(hash) @block
(array) @block
(heredoc_body) @block
